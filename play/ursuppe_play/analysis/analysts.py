"""Agents that say what they think of a position: those that search, and those that evaluate."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.evaluator import Evaluator, evaluator_of
from ursuppe_agents.registry import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.contest import Contest
from ursuppe_agents.search.playouts import play_out, stream_of
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.line import counted
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_count

PLAYOUTS = 256  # of a decision to the end of the game, shared among its actions, and at least ...
FEWEST_PLAYOUTS = 32  # after each
_ROOM = 4000  # play-outs of a search that goes on
_PLAYOUTS_A_SLICE = 64
_MOST_DRAWS = 1024  # of what goes on


def analyst_for(spec: str, seed: int = 0, playouts: int | None = None, teams: Teams | None = None) -> "Analyst":
    """The analyst that an agent is.

    Args:
        spec: of the agent.
        seed: of what it draws.
        playouts: of a decision, at least 1; each action gets ``FEWEST_PLAYOUTS`` or more. None: ``PLAYOUTS``.
        teams: who plays together; None: each seat for itself. All seats of a team have the team's chance.

    Raises:
        ValueError: there is no such agent, or it says nothing of chances of winning.
        OSError: its file cannot be read.
    """
    agent = make_agent(spec, seed)
    agent.teams = teams
    key = np.random.default_rng(seed).bytes(16)
    evaluator = evaluator_of(agent)
    if isinstance(evaluator, Evaluator):
        count = PLAYOUTS if playouts is None else checked_count("playouts", playouts, 1)
        return Analyst(evaluator, key, count, agent if isinstance(agent, SearchAgent) else None, teams)
    raise ValueError(
        f"agent is {spec!r}, which says nothing of chances of winning; it must search or be a policy, "
        "such as search:ms=50 or policy:default"
    )


@dataclass(frozen=True)
class Opinion:
    """Of a decision with A legal actions, in the order of their ids, in a game of P players; in N samples.

    A sample is a play-out to the end of the game after each action. Samples know nothing of each other, so they
    differ by as much as one of them can be wrong by chance.
    """

    chances: NDArray[np.float64]  # (N, P) each player's chance of winning before the decision
    chances_after: NDArray[np.float64]  # (N, A, P) after each action, who has won: 1 or 0
    priors: NDArray[np.float64]  # (A,) how likely each action is before any search; in sum 1
    votes: NDArray[np.float64]  # (A,) how much speaks for each action in the end; in sum 1
    visits: NDArray[np.int64]  # (A,) play-outs that began with each action, those of a search too

    def as_dict(self) -> dict[str, Any]:
        """As JSON can write it."""
        return {name: value.tolist() for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Opinion":
        """What ``as_dict`` gave."""
        return cls(**{name: np.array(value) for name, value in values.items()})


@dataclass(frozen=True)
class Analyst:
    """Plays out what comes after each action by a policy; and if it searches, searches.

    What is drawn depends on the position and the analyst's seed alone, never on the game's own streams.
    """

    evaluator: Evaluator
    key: bytes  # of what is drawn
    playouts: int  # of a decision
    agent: SearchAgent | None  # None: it does not search
    teams: Teams | None

    @property
    def samples(self) -> str:
        """What it does to a decision, such as "256 play-outs a decision, at least 32 an action"."""
        return f"{counted(self.playouts, 'play-out')} a decision, at least {FEWEST_PLAYOUTS} an action"

    @property
    def method(self) -> str:
        """The same in a few sentences."""
        return (
            "After each action the game was played to its end by the policy in all seats, with other dice and cards "
            f"than those that came: {self.samples}. A chance is the share of these games that were won"
            f"{'' if self.teams is None else ' by the player’s team'}."
        )

    def examine(self, games: Games) -> "Examination":
        """Begin to think about the decision in which a game, a batch of one, stands."""
        return Examination(self, games)


class Examination:
    """One decision, thought about for as long as one likes."""

    def __init__(self, analyst: Analyst, games: Games) -> None:
        self._analyst = analyst
        self._contest: Contest | None = None
        # Copies of these do not stop at chance, nor after rounds.
        self._games = trusted_games(games.state.copy(), games.ruleset, threads=1)
        self._actions = np.flatnonzero(self._games.legal()[0])
        self._priors = analyst.evaluator.priors(self._games, np.zeros(1, np.int64))[0]
        self._played: list[NDArray[np.float64]] = []  # (draws, A, P) each

    def think(self) -> None:
        """Think for as long as the agent's spec says."""
        self._play_out(max(self._analyst.playouts // len(self._actions), FEWEST_PLAYOUTS))
        if self._analyst.agent is not None:
            self._contest = self._analyst.agent.contest(self._games)

    def go_on(self) -> bool:
        """Think a little, some milliseconds; False if there is no room for more."""
        agent = self._analyst.agent
        if agent is not None and not self._played:
            self._contest = agent.contest(self._games, _ROOM)
        searched = self._contest is not None and agent is not None and agent.go_on(self._games, self._contest)
        is_more = sum(map(len, self._played)) < _MOST_DRAWS
        if is_more:
            self._play_out(max(_PLAYOUTS_A_SLICE // len(self._actions), 1))
        return is_more or searched

    def opinion(self) -> Opinion:
        """What the agent says, after any of the others."""
        after = np.concatenate(self._played)
        visits = np.full(len(self._priors), len(after))
        votes = self._priors
        if self._contest is not None:
            visits[self._contest.actions] += self._contest.visits
            votes = self._contest.votes(self._priors)
        votes = votes[self._actions] / votes[self._actions].sum()
        return Opinion(
            # Before the decision it is as after the actions that the agent itself would take.
            chances=np.einsum("a,nap->np", votes, after),
            chances_after=after,
            priors=self._priors[self._actions] / self._priors[self._actions].sum(),
            votes=votes,
            visits=visits[self._actions],
        )

    def _play_out(self, draws: int) -> None:
        by = self._analyst
        stream = stream_of(self._games.state, by.key, len(self._played))
        self._played.append(play_out(by.evaluator, self._games, self._actions, draws, stream, by.teams))
