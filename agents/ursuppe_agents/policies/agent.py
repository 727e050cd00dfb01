"""A trained policy as an agent, and as an evaluator of positions for a search."""

import multiprocessing
import warnings
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent
from ursuppe_agents.draws import drawn_actions
from ursuppe_agents.evaluator import Origin, TrainedElsewhereWarning
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.weights import Weights
from ursuppe_agents.policies.files import SavedPolicy, checked_temperature, policy_bytes, read_policy
from ursuppe_agents.policies.provenance import Provenance, digest_of, edition_in_words, file_digest, teams_in_words
from ursuppe_agents.policies.rulesets import outside_training
from ursuppe_agents.policies.shipped import DEFAULT, policy_path
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games, Ruleset
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_decisions

_ANY = 0  # players: the policy of a file refuses other numbers than its own when it is to play
_POLICIES_KEPT = 8  # the arena makes its agents anew for each chunk of games
_announced: set[str] = set()  # in this process


class PolicyAgent(Agent):
    """Plays by a policy, in all games that are asked for at once; an ``ursuppe_agents.evaluator.Evaluator``.

    Args:
        generator: draws from the policy.
        weights: ``policy.weights()`` of a policy that learns, or those of ``read_policy``; trained on games with as
            many players.
        deterministic: take the likeliest action, instead of drawing from the policy.
        temperature: by which the logits are divided before it draws: below 1 likely actions become likelier.

    Raises:
        ValueError: the temperature is out of its range; in all methods: the games have another number of players than
            the policy was trained with.
    """

    def __init__(
        self, generator: np.random.Generator, *, weights: Weights, deterministic: bool = False, temperature: float = 1.0
    ) -> None:
        super().__init__(generator)
        self.deterministic = deterministic
        self._temperature = checked_temperature(temperature)
        self._network = BoardNetwork(weights)
        self._player_counts = weights.player_counts

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        self.check(games)
        rows = checked_decisions(rows, games.player)
        probabilities = self._network.action_probabilities(games, rows)
        if self.deterministic:
            return probabilities.argmax(axis=1)
        return drawn_actions(probabilities, self.uniform(games, rows), 1 / self._temperature)

    def priors(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The policy's probabilities, (n, A)."""
        self.check(games)
        return self._network.action_probabilities(games, checked_decisions(rows, games.player))

    def values(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Each player's chance of winning by its critic, (n, P)."""
        self.check(games)
        return self._network.chances(games, checked_decisions(rows, games.player))

    def check(self, games: Games) -> None:
        """Refuse games that the policy cannot play."""
        self.check_players(games.num_players, f"these games have {games.num_players}")

    def check_players(self, players: int, found: str) -> None:
        """Refuse another number of players than the policy was trained with; ``found`` says where it is."""
        if players not in self._player_counts:
            trained = " or ".join(map(str, self._player_counts))
            raise ValueError(f"the policy was trained with {trained} players; {found}")


class _Known(NamedTuple):
    """A policy of a file as an agent, and where it comes from."""

    path: Path
    agent: PolicyAgent
    saved: SavedPolicy


class SavedPolicyAgent(Agent):
    """The same with the policy in a file, or with those that come with the package.

    When it first plays with another ruleset than it was trained with, or in teams (``teams``) other than it was trained
    in, it says so: a ``TrainedElsewhereWarning``, once in a process. Workers of the arena leave that to their parent,
    and one that was trained on varied rulesets has nothing to say of rulesets. Nobody tells it that there are no teams.

    Args:
        generator: draws from the policy.
        model: a file of ``ursuppe train``; ``default``, of the policies that come with the package the one for as many
            players as the games have that it is asked about; or ``duel``, the one for two players with two colours
            each.
        deterministic: take the likeliest action, instead of drawing from the policy.
        temperature: at which it draws; None: as its file says.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other observations or actions; the temperature is
            out of its range; or this installation has no such policy. In all methods: the policy was trained with
            another number of players, or none comes with the package for so many.
    """

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        model: str,
        deterministic: bool = False,
        temperature: float | None = None,
    ) -> None:
        super().__init__(generator)
        self.deterministic = deterministic
        self._model = model
        self._temperature = None if temperature is None else checked_temperature(temperature)
        self._policies: dict[int, _Known] = {}  # of ``default`` by players, when they are first asked; else one
        if model != DEFAULT:
            self._policy_for(_ANY)  # a wrong file shows at once
        self._rulesets: tuple[Ruleset, ...] = ()  # of the games that it was last asked about
        self._told_of: Teams | None = None  # likewise

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._asked(games).act(games, rows)

    def prepare(self, games: Games) -> None:
        """As of every agent, without a word about the games."""
        self._policy_for(games.num_players).agent.prepare(games)

    def priors(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._asked(games).priors(games, rows)

    def values(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._asked(games).values(games, rows)

    def unfamiliar(self, ruleset: Ruleset) -> list[str]:
        """What of a ruleset lies outside what the policy was trained on, in words: an ``evaluator.Trained``.

        A policy that was trained on one ruleset alone is familiar with that one, and with no change of it.
        """
        known = self._policy_for(ruleset.players)
        known.agent.check_players(ruleset.players, f"these rulesets are for {ruleset.players}")
        provenance = known.saved.provenance
        if provenance.rulesets == "varied":
            return outside_training(ruleset)
        if ruleset == provenance.played:
            return []
        return [
            f"it was trained on {provenance.rules_in_words()} alone, not on {edition_in_words(ruleset)}: what it does "
            "and predicts there is what it has learned elsewhere"
        ]

    def origin(self, players: int) -> Origin:
        """Where the policy comes from: an ``evaluator.Trained``."""
        path, _, saved = self._policy_for(players)
        provenance = saved.provenance.changed({"critic_games": 0})
        actor = saved._replace(weights=replace(saved.weights, critic=None), provenance=provenance)
        return Origin(file_digest(path), saved.provenance.in_words(), digest_of(policy_bytes(actor)))

    def _asked(self, games: Games) -> PolicyAgent:
        """The one that plays these games, after all that is to be said of them."""
        known = self._policy_for(games.num_players)
        known.agent.check(games)
        known.agent.key = self.key
        if games.rulesets is not self._rulesets:  # to compare equal ones would take as long as half of the network
            self._rulesets = games.rulesets
            self._announce_other_rulesets(known.saved.provenance)
        if self.teams != self._told_of:
            self._told_of = self.teams
            trained = known.saved.provenance.partition
            if self.teams is not None and not _are_same(self.teams, trained):
                self._announce(f"was trained {teams_in_words(trained)}; here it plays {teams_in_words(self.teams)}")
        return known.agent

    def _policy_for(self, players: int) -> _Known:
        """The policy that plays with so many players."""
        key = players if self._model == DEFAULT else _ANY
        if key not in self._policies:
            path = policy_path(self._model, players)
            written = path.stat()
            saved = _loaded(path, written.st_mtime_ns, written.st_size)
            temperature = saved.temperature if self._temperature is None else self._temperature
            agent = PolicyAgent(
                self.generator, weights=saved.weights, deterministic=self.deterministic, temperature=temperature
            )
            self._policies[key] = _Known(path, agent, saved)
        return self._policies[key]

    def _announce_other_rulesets(self, provenance: Provenance) -> None:
        if provenance.rulesets == "varied":
            return
        trained, others = provenance.played, set[str]()
        for ruleset in self._rulesets:
            if ruleset != trained:
                others.add(edition_in_words(ruleset))
            if len(others) > 1:  # there may be thousands
                break
        if not others:
            return
        here = others.pop() if len(others) == 1 else "several other rulesets"
        self._announce(f"was trained on {provenance.rules_in_words()}; here it plays {here}")

    def _announce(self, what: str) -> None:
        if multiprocessing.parent_process() is not None:  # it says so itself
            return
        text = f"{agent_spec('policy', model=self._model).replace('model=', '', 1)} {what}"
        if text not in _announced:
            _announced.add(text)
            warnings.warn(text, TrainedElsewhereWarning, stacklevel=5)  # who asked it


def _are_same(teams: Teams, others: Teams | None) -> bool:
    """Do the same seats play together, in whatever order the teams are named?"""
    return others is not None and (set(teams.seats), teams.score) == (set(others.seats), others.score)


@lru_cache(_POLICIES_KEPT)
def _loaded(path: Path, written_ns: int, size: int) -> SavedPolicy:
    """The policy in a file that was written at this time: read once."""
    return read_policy(path)
