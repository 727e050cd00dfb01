"""Agents that say what they think of a position: those that search, and those that evaluate."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.playouts import play_out
from ursuppe_agents.search.position_search import PositionSearch
from ursuppe_agents.search.tree import stream_of
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.line import counted
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_count
from ursuppe_lab.statistics import FEWEST_SEEDS
from ursuppe_play.analysis.opinion import Opinion
from ursuppe_play.hints import policy_for

SEARCHES = FEWEST_SEEDS  # of a decision, without a policy: with fewer there is no interval
PLAYOUTS = 256  # of a decision, with a policy: so many to each of its actions, and at least ...
FEWEST_PLAYOUTS = 32  # after each
_SLICE = 32  # simulations of a kind between two looks at a search that goes on
_ROOM = 4000  # simulations of such a search
_PLAYOUTS_A_SLICE = 64
_MOST_DRAWS = 1024  # of what goes on


class Examination(Protocol):
    """One decision, thought about for as long as one likes."""

    def think(self) -> None:
        """Think for as long as the agent's spec says."""

    def go_on(self) -> bool:
        """Think a little, some milliseconds; False if there is no room for more."""

    def opinion(self) -> Opinion:
        """What the agent says, after any of the others."""


class Analyst(Protocol):
    """Thinks about decisions.

    Attributes:
        samples: what it does to a decision, such as "10 searches a decision".
        looks: what its visits are: "simulations" or "play-outs".
        method: the same in a few sentences.
    """

    samples: str
    looks: str
    method: str

    def examine(self, games: Games) -> Examination:
        """Begin to think about the decision in which a game, a batch of one, stands.

        What is drawn depends on the position and the analyst's seed alone, never on the game's own streams.
        """


def analyst_for(spec: str, seed: int = 0, playouts: int | None = None, teams: Teams | None = None) -> Analyst:
    """The analyst that an agent is.

    Args:
        spec: of the agent.
        seed: of what it draws.
        playouts: of a decision, by a policy, at least 1; each action gets ``FEWEST_PLAYOUTS`` or more. None:
            ``PLAYOUTS``.
        teams: who plays together; None: each seat for itself. All seats of a team have the team's chance.

    Raises:
        ValueError: there is no such agent, it says nothing of chances of winning, or it has no policy to play out with
            although ``playouts`` or ``teams`` need one.
        OSError: its file cannot be read.
    """
    agent = make_agent(spec, seed)
    agent.teams = teams
    key = np.random.default_rng(seed).bytes(16)
    evaluator = agent.evaluator if isinstance(agent, SearchAgent) else agent
    if isinstance(evaluator, Evaluator):
        count = PLAYOUTS if playouts is None else checked_count("playouts", playouts, 1)
        return _PolicyAnalyst(evaluator, key, count, agent if isinstance(agent, SearchAgent) else None, teams)
    if isinstance(agent, SearchAgent):
        if teams is not None:
            raise ValueError(
                f"the game is played in teams ({teams}), but {spec} values each seat for itself; give an agent with a "
                f"policy, such as policy:{policy_for(teams)}"
            )
        if playouts is not None:
            raise ValueError(f"playouts is {playouts}, but {spec} has no policy to play out with; leave it out")
        return _SearchAnalyst(agent)
    raise ValueError(
        f"agent is {spec!r}, which says nothing of chances of winning; it must search or be a policy, "
        "such as search:ms=50,policy=default or policy:default"
    )


# ---------------------------------------------------------------------- by searches alone


class _SearchAnalyst:
    """Searches a decision several times; each search draws differently. For searches without a policy."""

    samples, looks = f"{SEARCHES} searches a decision", "simulations"
    method = (
        f"Each decision was searched {SEARCHES} times, each time with other dice, and never with those that came: as "
        "long as the agent's budget where it would look itself, and as long again where least had been seen, so that "
        "every action has a figure. Chances are estimates of the agent's value function."
    )

    def __init__(self, agent: SearchAgent) -> None:
        self._agent = agent

    def examine(self, games: Games) -> "_SearchExamination":
        return _SearchExamination(self._agent, games.copy())


class _SearchExamination:
    def __init__(self, agent: SearchAgent, games: Games) -> None:
        self._agent = agent
        self._games = games
        self._searches: list[PositionSearch] = []
        self._turn = 0  # whose it is to go on

    def think(self) -> None:
        """In each search: the agent's budget where it would look, then as much where least was seen."""
        for number in range(SEARCHES):
            search = self._agent.position_search(self._games, 0, number)
            self._agent.spend_budget(search.search)
            _see_every_action(search)
            self._agent.spend_budget(search.spread)
            self._searches.append(search)

    def go_on(self) -> bool:
        if len(self._searches) < SEARCHES:
            search = self._agent.position_search(self._games, 0, len(self._searches), _ROOM)
            search.search(_SLICE)
            _see_every_action(search)
            search.spread(_SLICE)
            self._searches.append(search)
            return True
        search = self._searches[self._turn]
        self._turn = (self._turn + 1) % SEARCHES
        return search.search(_SLICE) + search.spread(_SLICE) > 0

    def opinion(self) -> Opinion:
        return Opinion(
            chances=np.array([search.chances for search in self._searches]),
            chances_after=np.array([search.chances_after for search in self._searches]),
            priors=self._searches[0].priors,  # of all: none has drawn anything before
            votes=np.mean([search.votes for search in self._searches], axis=0),
            visits=np.sum([search.visits for search in self._searches], axis=0),
        )


def _see_every_action(search: PositionSearch) -> None:
    while search.visits.min() == 0:
        search.spread(1)


# ---------------------------------------------------------------------- by a policy


class _PolicyAnalyst:
    """Plays out what comes after each action by a policy; and if it searches, searches."""

    def __init__(
        self, evaluator: Evaluator, key: bytes, playouts: int, agent: SearchAgent | None, teams: Teams | None
    ) -> None:
        self.evaluator = evaluator
        self.key = key
        self.playouts = playouts
        self.agent = agent
        self.teams = teams
        self.looks = "play-outs" if agent is None else "simulations"
        self.samples = f"{counted(playouts, 'play-out')} a decision, at least {FEWEST_PLAYOUTS} an action"
        self.method = (
            "After each action the game was played to its end by the policy in all seats, with other dice and cards "
            f"than those that came: {self.samples}. A chance is the share of these games that were won"
            f"{'' if teams is None else ' by the player’s team'}."
        )

    def examine(self, games: Games) -> "_PolicyExamination":
        return _PolicyExamination(self, games)


class _PolicyExamination:
    def __init__(self, analyst: _PolicyAnalyst, games: Games) -> None:
        self._analyst = analyst
        self._search: PositionSearch | None = None
        # Copies of these do not stop at chance, nor after rounds.
        self._games = trusted_games(games.state.copy(), games.ruleset, threads=1)
        self._actions = np.flatnonzero(self._games.legal()[0])
        priors, _ = analyst.evaluator.evaluate(self._games, np.zeros(1, np.int64))
        self._priors = priors[0, self._actions] / priors[0, self._actions].sum()
        self._played: list[NDArray[np.float64]] = []  # (draws, A, P) each

    def think(self) -> None:
        self._play_out(max(self._analyst.playouts // len(self._actions), FEWEST_PLAYOUTS))
        if self._analyst.agent is not None:
            self._search = self._analyst.agent.position_search(self._games, 0, 0)
            self._analyst.agent.spend_budget(self._search.search)

    def go_on(self) -> bool:
        if self._analyst.agent is not None and self._search is None:
            self._search = self._analyst.agent.position_search(self._games, 0, 0, _ROOM)
        searched = 0 if self._search is None else self._search.search(_SLICE)
        is_more = sum(map(len, self._played)) < _MOST_DRAWS
        if is_more:
            self._play_out(max(_PLAYOUTS_A_SLICE // len(self._actions), 1))
        return is_more or searched > 0

    def opinion(self) -> Opinion:
        after = np.concatenate(self._played)
        search = self._search
        votes = self._priors if search is None else search.votes
        return Opinion(
            # Before the decision it is as after the actions that the agent itself would take.
            chances=np.einsum("a,nap->np", votes, after),
            chances_after=after,
            priors=self._priors,
            votes=votes,
            visits=np.full(len(self._actions), len(after)) if search is None else search.visits,
        )

    def _play_out(self, draws: int) -> None:
        by = self._analyst
        stream = stream_of(self._games.state, by.key, len(self._played))
        self._played.append(play_out(by.evaluator, self._games, self._actions, draws, stream, by.teams))
