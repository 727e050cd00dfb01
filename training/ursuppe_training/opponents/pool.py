"""The pool of opponents for self-play: one is drawn for each seat of each game, or for a whole table.

With teams one is drawn for each team, and plays all its seats.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent, make_agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_env import Games
from ursuppe_training.config import OF_THE_RUN, SELF, SNAPSHOTS, TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.outcomes import relative_seats
from ursuppe_training.networks.who_plays import UNKNOWN
from ursuppe_training.opponents.draw import OpponentDraw, SeatedOpponents, is_untold, learners_sides
from ursuppe_training.opponents.snapshots import Snapshots
from ursuppe_training.opponents.win_rates import WinRates
from ursuppe_training.processes import Processes


class _Opponents(NamedTuple):
    """Those of a group of games: agents by the numbers of their names, and what frozen policies draw by."""

    agents: list[Agent]
    generator: np.random.Generator


class OpponentPool:
    """Draws the opponents of each game, has each of them act in all its games at once, and counts who wins.

    A game keeps its opponents from its beginning to its end, however the weights change and whoever joins meanwhile;
    the games of a snapshot that makes room for a newer one go on with the oldest that is left. The draw depends only on
    the key of the game, the seat or team, and the weights when the game begins: a game has the same opponents
    regardless of the games beside it.

    Opponents have numbers: first the names among ``opponents`` and "self", then all snapshots that were ever taken.

    Args:
        config: with the weights of the opponents.
        policy: the one that learns.
        groups: numbers of groups of games, each of which has agents of its own, so that threads can play them side by
            side.

    Attributes:
        teams: who plays together; None: each seat for itself.
        sides: the same; without teams each seat is one of its own.
        names: among ``opponents``, and "self": those of the first numbers.
        teachers: the names of opponents from whom the policy learns.
        learner: the number of the learning policy.
        draw: of the opponents in this rollout.
    """

    def __init__(self, config: TrainingConfig, policy: ActorCritic, groups: Sequence[int] = (0,)) -> None:
        self.teams = config.partition
        self._config = config
        self._policy = policy
        self.sides = config.sides
        self.teachers = config.teachers
        self.names = list(dict.fromkeys([*config.opponents, SELF]))
        self.learner = self.names.index(SELF)
        self._first_snapshot = len(self.names)
        self._snapshots = Snapshots(config, policy)
        self._snapshots_taken = 0
        self._win_rates = WinRates(len(self.sides))  # of the learner, at whole tables
        self._seated = {group: SeatedOpponents() for group in groups}
        self.begin_rollout(0)

    def begin_rollout(self, number: int) -> None:
        """Set what a rollout needs: weights as they are now, and agents anew.

        These are seeded with the rollout's number, so that they draw the same after a resumption.
        """
        self._weights = self._new_weights()
        self.draw = OpponentDraw(self._weights, self._config.whole_tables, self.sides.team_of)
        # Games at whole tables, and those of them that the learner has won.
        self._counts = {group: np.zeros((2, self.num_opponents)) for group in self._seated}
        self._groups = {group: self._new_opponents(number, group) for group in self._seated}

    def _new_opponents(self, rollout: int, group: int) -> _Opponents:
        generator = np.random.default_rng([self._config.seed, rollout, group])
        present = PolicyAgent(generator, weights=self._policy.weights())
        agents: list[Agent] = [present if name in OF_THE_RUN else make_agent(name, generator) for name in self.names]
        for agent in agents:
            agent.teams = self.teams
        return _Opponents(agents, generator)

    # ------------------------------------------------------------------ weights

    @property
    def num_opponents(self) -> int:
        """O, of the numbers that there are."""
        return self._first_snapshot + self._snapshots_taken

    def _new_weights(self) -> NDArray[np.float64]:
        """(O,) the weights of all opponents."""
        weights = np.zeros(self.num_opponents)
        for name in self.names:
            members = self._members(name)
            weights[members] += self._config.opponents.get(name, 0.0) / len(members)
        return weights

    def _members(self, name: str) -> NDArray[np.int64]:
        """The numbers of those who play under a name; the present policy stands in where there is nobody yet."""
        if name == SNAPSHOTS and self._snapshots_taken > 0:
            return self.num_opponents - len(self._snapshots) + np.arange(len(self._snapshots))
        return np.array([self.learner if name in OF_THE_RUN else self.names.index(name)])

    def _label(self, number: int) -> str:
        """What an opponent is called: its name; a snapshot has a number of its own, from 1."""
        name = self.name_of(number)
        return f"{name} {number - self._first_snapshot + 1}" if name == SNAPSHOTS else name

    def name_of(self, number: int) -> str:
        """Under which name an opponent plays."""
        return self.names[number] if number < self._first_snapshot else SNAPSHOTS

    def number_told(self, number: int) -> int:
        """The number by which the critic knows an opponent."""
        name = self.name_of(number)
        return 1 + self.names.index(name) if name in self.names else UNKNOWN

    # ------------------------------------------------------------------ seats

    def players(self, games: Games, group: int = 0) -> NDArray[np.int64]:
        """(N,) the number of who is about to act: the learning policy, in its own seat or team of the game or in one
        drawn for it, or another one of the pool. The games are those of this group.
        """
        keys, seats = games.state["key"], games.state["player"]
        drawn = self._seated[group].of(games, self.draw)[np.arange(len(seats)), seats]
        return np.where(self.sides.team_of[seats] == self._learners(keys), self.learner, drawn)

    def _learners(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n,) the team that always learns in the games with these keys, (n,); without teams the seat."""
        return learners_sides(keys, len(self.sides))

    def is_learner(self, players: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether these, (n,), are the learning policy."""
        return players == self.learner

    def who_plays(
        self, games: Games, rows: NDArray[np.int64], seats: NDArray[np.int64], group: int = 0
    ) -> NDArray[np.int64]:
        """(n, P) what the critic is told of who plays in each seat, in these rows, (n,), of the games of a group.

        The names of the pool have the numbers from 1 on; of half of the games nothing is told.

        Args:
            games: of this group.
            rows: (n,) in which the critic is asked.
            seats: (n,) who asks; the others follow.
            group: of the games.
        """
        keys, players = games.state["key"][rows], games.num_players
        seated = self._seated[group].of(games, self.draw)[rows]
        seated = np.where(self.sides.team_of == self._learners(keys)[:, None], self.learner, seated)
        if SNAPSHOTS in self.names:
            seated[seated >= self._first_snapshot] = self.names.index(SNAPSHOTS)
        around = np.take_along_axis(seated, relative_seats(players)[seats], axis=1) + 1
        return np.where(is_untold(keys)[:, None], UNKNOWN, around)

    @property
    def num_names(self) -> int:
        """How many different players the critic can be told of."""
        return len(self.names)

    def is_teacher(self, players: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether these, (n,), are teachers."""
        return np.isin(players, [self.names.index(name) for name in self.teachers])

    def act(
        self, games: Games, rows: NDArray[np.int64], players: NDArray[np.int64], group: int = 0
    ) -> NDArray[np.int64]:
        """The actions, (n,), of these players, (n,), in these rows, (n,), of the games, which are of this group."""
        agents, generator = self._groups[group]
        actions = np.empty(len(rows), np.int64)
        for number in np.unique(players[players < len(agents)]):
            asked = np.flatnonzero(players == number)
            actions[asked] = agents[number].act(games, rows[asked])
        past = np.flatnonzero(players >= self._first_snapshot)
        if len(past):
            oldest = self.num_opponents - len(self._snapshots)
            which = np.maximum(players[past] - oldest, 0)
            actions[past] = self._snapshots.act(games, rows[past], which, generator)
        return actions

    # ------------------------------------------------------------------ who wins

    def note_ends(self, games: Games, rows: NDArray[np.int64], group: int = 0) -> None:
        """Count the wins at the whole tables among these rows, (n,), whose games are over.

        Args:
            games: of this group; none of these has begun anew.
            rows: (n,) those that are over.
            group: of the games.
        """
        keys = games.state["key"][rows]
        is_won = self.sides.winner(games.markers[rows]) == self._learners(keys)
        opponents = self._seated[group].of(games, self.draw)[rows, 0]
        is_counted = self.draw.is_whole(keys) & (opponents != self.learner)
        for counts, counted in zip(self._counts[group], (is_counted, is_counted & is_won), strict=True):
            counts += np.bincount(opponents[counted], minlength=len(counts))

    def end_rollout(self, processes: Processes) -> None:
        """Take in who has won in the rollout, in all groups of all processes."""
        played, won = processes.sums(np.sum(list(self._counts.values()), axis=0))
        for number in np.flatnonzero(played * self._weights).tolist():
            self._win_rates.take_in(self._label(number), int(played[number]), int(won[number]))

    def figures(self) -> Iterator[tuple[str, float]]:
        """Of each opponent that was met at whole tables, how often the learner wins."""
        for number in np.flatnonzero(self._weights).tolist():
            label = self._label(number)
            if label in self._win_rates:
                yield f"{label}/win_rate", self._win_rates[label]

    def count(self, counts: NDArray[np.int64]) -> None:
        """Add games that are over: (2, O), at whole tables, and those of them that the learner has won."""
        self._counts[min(self._counts)] += counts

    # ------------------------------------------------------------------ frozen policies

    @property
    def frozen_policies(self) -> list[ActorCritic]:
        """The snapshots; not to be changed."""
        return self._snapshots.policies

    def which_frozen(self, number: int) -> int | None:
        """The place among them of who plays under this number; None: nobody of them does."""
        if number < self._first_snapshot:
            return None
        oldest = self.num_opponents - len(self._snapshots)
        return max(number - oldest, 0)

    def take_snapshot(self) -> None:
        """Keep a copy of the policy as it is; if there are too many snapshots, the oldest goes."""
        if SNAPSHOTS not in self.names:
            return
        copies = [*self._snapshots.state_dicts(), self._policy.state_dict()]
        if len(copies) > self._config.snapshots:
            self._win_rates.forget(self._label(self.num_opponents - len(self._snapshots)))
        self._snapshots.load_state_dicts(copies[-self._config.snapshots :])
        self._snapshots_taken += 1

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, Any]:
        """The frozen policies, and how often the learner wins."""
        return {
            SNAPSHOTS: self._snapshots.state_dicts(),
            "snapshots_taken": self._snapshots_taken,
            "win_rates": self._win_rates.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these, from the next rollout on."""
        self._snapshots.load_state_dicts(saved[SNAPSHOTS])
        self._snapshots_taken = saved["snapshots_taken"]
        self._win_rates.load_state_dict(saved["win_rates"])

    def seated(self, group: int = 0) -> SeatedOpponents:
        """Who is in the seats of the games of a group."""
        return self._seated[group]
