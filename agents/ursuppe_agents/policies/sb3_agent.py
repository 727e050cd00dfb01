"""A model that Stable-Baselines3 or sb3-contrib has saved, as an agent.

Such a file holds pickled objects: loading it can run whatever whoever wrote it wants. So a file of settings cannot name
one unless the user has said so (``ursuppe_agents.registry.foreign_code``).
"""

import json
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ursuppe_agents import Agent
from ursuppe_agents.draws import drawn_actions
from ursuppe_agents.policies.files import DESCRIPTION
from ursuppe_env import Games
from ursuppe_env.envs.options import View
from ursuppe_env.extras import extra
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS
from ursuppe_env.validation import checked_decisions

with extra("train"):
    import torch
    from stable_baselines3.common.save_util import load_from_zip_file

#: What an agent needs of a model but its weights.
NEEDED = ("policy_class", "policy_kwargs", "observation_space", "action_space")
_MODELS_KEPT = 8  # the arena makes its agents anew for each chunk of games
_BLOCK = 64  # positions that are always evaluated together, so that none depends on how many there are


class SB3Agent(Agent):
    """Plays by a model that was trained in ``UrsuppeVecEnv`` or ``UrsuppeEnv``, with their observations as they are.

    Only legal actions are taken, whether the model was trained with masks or not. Models with an action distribution
    (MaskablePPO, PPO, A2C) and of action values (DQN, QR-DQN) play.

    Args:
        generator: draws the actions.
        model: the file that ``model.save`` wrote.
        deterministic: take the likeliest action, instead of drawing one; of action values always the best is taken.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such model.
    """

    def __init__(self, generator: np.random.Generator, *, model: str, deterministic: bool = False) -> None:
        super().__init__(generator)
        self._path = path = Path(model)
        written = path.stat()
        self._policy = _loaded(path, written.st_mtime_ns, written.st_size)
        self.deterministic = deterministic or not hasattr(self._policy, "get_distribution")
        self._views: dict[int, View] = {}  # by the number of players

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions of the players about to act, as for every agent.

        Raises:
            ValueError: the model was trained on other observations or actions than those of these games.
        """
        view = self._view(games.num_players, games.num_actions)
        rows = checked_decisions(rows, games.player)
        if rows.size == 0:
            return rows
        asked = games.copy(rows)
        scores = np.where(asked.legal(), self._scores(view.of(asked)), -np.inf)
        if self.deterministic:
            return scores.argmax(axis=1)
        return drawn_actions(np.exp(scores - scores.max(axis=1, keepdims=True)), self.uniform(games, rows))

    def _scores(self, observations: NDArray[Any]) -> NDArray[np.float64]:
        """(n, A) logits or values of all actions."""
        policy, blocks = self._policy, []
        for start in range(0, len(observations), _BLOCK):
            some = observations[start : start + _BLOCK]
            block = torch.from_numpy(np.pad(some, ((0, _BLOCK - len(some)), (0, 0))))
            with torch.inference_mode():
                if hasattr(policy, "get_distribution"):
                    scores = policy.get_distribution(block).distribution.logits
                elif hasattr(policy, "q_net"):
                    scores = policy.q_net(block)
                else:
                    scores = policy.quantile_net(block).mean(dim=1)
            blocks.append(scores[: len(some)].double().numpy())
        return np.concatenate(blocks)

    def _view(self, players: int, num_actions: int) -> View:
        """How the model sees games of so many players."""
        if players not in self._views:
            box, choices = self._policy.observation_space, self._policy.action_space
            views = [View(observe_rules, box.dtype) for observe_rules in (False, True)]
            tables = range(MIN_PLAYERS, MAX_PLAYERS + 1)
            fitting = {table: view for table in tables for view in views if box.shape == (view.size(table),)}
            if fitting and players not in fitting:
                raise ValueError(f"{self._path} was trained with {min(fitting)} players; these games have {players}")
            if not fitting or choices.n != num_actions:
                plain, with_rules = (view.size(players) for view in views)
                raise ValueError(
                    f"{self._path} sees observations of shape {box.shape} and has {choices.n} actions; with {players} "
                    f"players there are {plain} numbers ({with_rules} with observe_rules) and {num_actions} actions, "
                    "so train it in UrsuppeVecEnv or UrsuppeEnv without wrappers that change these"
                )
            self._views[players] = fitting[players]
        return self._views[players]


@lru_cache(_MODELS_KEPT)
def _loaded(path: Path, written_ns: int, size: int) -> Any:
    """The policy of the model in a file that was written at this time: read once."""
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.namelist()
                keys = json.loads(archive.read("data")).keys() if "data" in members else set()
        except (zipfile.BadZipFile, ValueError, AttributeError) as error:
            raise ValueError(f"{path} is damaged, or no model of Stable-Baselines3: {error}") from error
    if DESCRIPTION in members:
        raise ValueError(f"{path} is a policy of `ursuppe train`; it plays as policy:{path}")
    if "policy.pth" not in members or not keys >= set(NEEDED):
        raise ValueError(f"{path} is no model of Stable-Baselines3; it must be a file that model.save() wrote")
    others = {key: None for key in keys if key not in NEEDED}  # are not unpickled
    try:
        data: Any
        data, parameters, _ = load_from_zip_file(path, custom_objects=others, device="cpu")
        observed, chosen = data["observation_space"], data["action_space"]
        policy = data["policy_class"](observed, chosen, lambda _: 0.0, **data["policy_kwargs"])
        policy.load_state_dict(parameters["policy"])
    except Exception as error:  # whatever the classes of others raise
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise ValueError(f"{path} cannot be loaded by Stable-Baselines3: {reason}") from error
    if not isinstance(observed, spaces.Box) or not isinstance(chosen, spaces.Discrete):
        raise ValueError(
            f"{path} has the spaces {type(observed).__name__} and {type(chosen).__name__}; they must be Box and "
            "Discrete, those of UrsuppeVecEnv and UrsuppeEnv"
        )
    plays = any(hasattr(policy, name) for name in ("get_distribution", "q_net", "quantile_net"))
    if not plays or hasattr(policy, "lstm_actor"):
        raise ValueError(
            f"{path} has a {type(policy).__name__}; it must be the policy of MaskablePPO, PPO, A2C, DQN or QR-DQN"
        )
    policy.set_training_mode(False)
    return policy
