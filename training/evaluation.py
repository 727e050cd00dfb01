"""How often an agent wins: the same dice for every seat that it can have."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.statistics import Interval, bootstrap
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.opponents import Opponent, play_others


@dataclass(frozen=True)
class Evaluation:
    """The result of ``evaluate``.

    Attributes:
        wins: (S, P) bool; did the agent win the game of this seed in this seat?
        win_rate: over all games, with a 95 % interval that resamples seeds.
    """

    wins: NDArray[np.bool_]
    win_rate: Interval

    @property
    def num_games(self) -> int:
        """How many games were played."""
        return self.wins.size

    @property
    def chance(self) -> float:
        """The win rate of a player like all others."""
        return 1 / self.wins.shape[1]

    @property
    def by_seat(self) -> NDArray[np.float64]:
        """(P,) the win rate in each seat."""
        return self.wins.mean(axis=0)

    def __str__(self) -> str:
        rate, low, high = self.win_rate
        by_seat = ", ".join(f"{won:.1%}" for won in self.by_seat)
        return (
            f"wins {rate:.1%} of {self.num_games} games (95 % interval {low:.1%} to {high:.1%}; "
            f"chance {self.chance:.1%}); by seat {by_seat}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The result for JSON."""
        return {
            "games": self.num_games,
            "win_rate": self.win_rate.mean,
            "interval_95": [self.win_rate.low, self.win_rate.high],
            "chance": self.chance,
            "win_rate_by_seat": self.by_seat.tolist(),
        }


def evaluate(
    agent: Opponent,
    num_games: int,
    seed: int = 0,
    ruleset: Ruleset | None = None,
    opponent: Opponent | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Let the agent play each seed's game P times, once in each seat, and count its wins.

    Args:
        agent: plays one seat of each game.
        num_games: a multiple of P.
        seed: of the games and of the interval's resampling.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        opponent: plays all other seats; None: uniformly random.
        on_progress: called now and then with the number of games that are over.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """
    ruleset = Ruleset() if ruleset is None else ruleset
    players = ruleset.players
    if isinstance(num_games, bool) or not isinstance(num_games, int) or num_games < 1 or num_games % players != 0:
        raise ValueError(f"num_games is {num_games!r}; it must be a multiple of {players}, one game in each seat")
    seats = np.tile(np.arange(players), num_games // players)
    games = Games(num_games, ruleset, seed=seed, index=np.arange(num_games) // players)
    play_others(games, seats, opponent)
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        games.step(agent(games, rows), rows)
        play_others(games, seats, opponent)
        if on_progress is not None:
            on_progress(int(games.finished.sum()))
    wins = (games.winner == seats).reshape(-1, players)
    return Evaluation(wins, bootstrap(wins.mean(axis=1), np.random.default_rng(seed)))
