"""A trained policy as an agent, and as an evaluator of positions for a search."""

import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent
from ursuppe_agents.jobs.runner import is_worker
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS
from ursuppe_env.validation import checked_decisions
from ursuppe_training.inference import Network
from ursuppe_training.inputs import num_inputs
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.models import checked_temperature, load_policy, read_provenance, read_temperature
from ursuppe_training.provenance import Provenance, edition_in_words

DEFAULT = "default"  # in place of a path: the policy that comes with the package
DEFAULT_POLICY = Path(__file__).with_name("default") / "policy.zip"
_POLICIES_KEPT = 8  # the arena makes its agents anew for each chunk of games
_announced: set[str] = set()  # in this process

#: A policy, where it comes from, and the temperature at which it draws.
_Loaded = tuple[MaskedCategoricalPolicy, Provenance, float]


class TrainedElsewhereWarning(UserWarning):
    """A policy plays with another ruleset than it was trained with, which was one alone."""


class PolicyAgent(Agent):
    """Plays by a policy, in all games that are asked for at once.

    Args:
        generator: draws from the policy.
        policy: ``model.policy``, or from ``load_policy``; trained on games with the same number of players.
        deterministic: take the likeliest action, instead of drawing from the policy.
        temperature: by which the logits are divided before it draws: below 1 likely actions become likelier.

    Raises:
        ValueError: the temperature is out of its range.
    """

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        policy: MaskedCategoricalPolicy,
        deterministic: bool = False,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(generator)
        self.deterministic = deterministic
        self.temperature = checked_temperature(temperature)
        self._network = Network(policy)

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions of the players about to act, as for every agent.

        Raises:
            ValueError: the policy was trained with another number of players.
        """
        self._check(games)
        rows = checked_decisions(rows, games.player)
        probabilities = self._network.action_probabilities(games.copy(rows))
        if self.deterministic:
            return probabilities.argmax(axis=1)
        if self.temperature != 1:
            likeliest = probabilities.max(axis=1, keepdims=True)  # with it, powers of small numbers do not vanish
            probabilities = (probabilities / likeliest) ** (1 / self.temperature)
        reached = probabilities.cumsum(axis=1)
        drawn = self.generator.random((len(rows), 1)) * reached[:, -1:]
        return (reached > drawn).argmax(axis=1)

    def _check(self, games: Games) -> None:
        shape = self._network.policy.observation_space.shape
        if shape not in _shapes(games.num_players):
            counts = range(MIN_PLAYERS, MAX_PLAYERS + 1)
            trained = next((count for count in counts if shape in _shapes(count)), "another number of")
            raise ValueError(f"the policy was trained with {trained} players; these games have {games.num_players}")


def _shapes(players: int) -> list[tuple[int]]:
    """Of inputs without and with the ruleset."""
    return [(num_inputs(players, rules),) for rules in (False, True)]


class SavedPolicyAgent(PolicyAgent):
    """The same with the policy in a file; and an ``ursuppe_agents.search.evaluator.Evaluator``.

    When it first plays with another ruleset than it was trained with, it says so: a ``TrainedElsewhereWarning``, once
    in a process. Workers of the arena leave that to their parent, and one that was trained on varied rulesets has
    nothing to say.

    Args:
        generator: draws from the policy.
        model: a file of ``ursuppe train``; or ``default``, the policy that comes with the package.
        deterministic: take the likeliest action, instead of drawing from the policy.
        temperature: at which it draws; None: as its file says.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other observations or actions; or the temperature
            is out of its range.
    """

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        model: str,
        deterministic: bool = False,
        temperature: float | None = None,
    ) -> None:
        policy, self._provenance, chosen = _policy_in(model)
        temperature = chosen if temperature is None else temperature
        super().__init__(generator, policy=policy, deterministic=deterministic, temperature=temperature)
        self._model = model
        self._rulesets: tuple[Ruleset, ...] = ()  # of the games that it was last asked about

    def _check(self, games: Games) -> None:
        super()._check(games)
        if games.rulesets != self._rulesets:
            self._rulesets = games.rulesets
            self._announce_other_rulesets()

    def _announce_other_rulesets(self) -> None:
        if self._provenance.rulesets == "varied" or is_worker():
            return
        trained, others = self._provenance.played, set[str]()
        for ruleset in self._rulesets:
            if ruleset != trained:
                others.add(edition_in_words(ruleset))
            if len(others) > 1:  # there may be thousands
                break
        if not others:
            return
        here = others.pop() if len(others) == 1 else "several other rulesets"
        spec = agent_spec("policy", model=self._model).replace("model=", "", 1)
        text = f"{spec} was trained on {self._provenance.rules_in_words()}; here it plays {here}"
        if text not in _announced:
            _announced.add(text)
            warnings.warn(text, TrainedElsewhereWarning, stacklevel=4)  # who asked it

    def evaluate(self, games: Games, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The policy's probabilities, (n, A), and each player's chance of winning by its critic, (n, P).

        Raises:
            ValueError: the policy was trained with another number of players.
        """
        self._check(games)
        return self._network.probabilities_and_chances(games.copy(rows))


def policy_path(model: str) -> Path:
    """The file of a policy: its path, or ``default``.

    Raises:
        ValueError: it is ``default``, and none comes with this installation.
    """
    if model != DEFAULT:
        return Path(model)
    if not DEFAULT_POLICY.exists():
        raise ValueError("policy:default is not there: this installation of ursuppe-env has no trained policy")
    return DEFAULT_POLICY


def _policy_in(model: str) -> _Loaded:
    path = policy_path(model)
    written = path.stat()
    return _loaded(path, written.st_mtime_ns, written.st_size)


@lru_cache(_POLICIES_KEPT)
def _loaded(path: Path, written_ns: int, size: int) -> _Loaded:
    """The policy in a file that was written at this time, and what is said of it: read once."""
    return load_policy(path)[0], read_provenance(path), read_temperature(path)
