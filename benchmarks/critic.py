"""How well a policy's critic foretells who wins, beside the value function of ``greedy`` and ``search``.

``python benchmarks/critic.py runs/mine/best.zip``, some minutes on one core: games at several tables; at some of their
positions, chosen at random, both say each player's chance of winning. The error is Brier's score: the squared
difference from who won, summed over the players; with 4 of them 0.75 for knowing nothing, 0 for knowing all. It is
given by round, with 95 % intervals that resample the games. With ``--varied`` each game has one of 1,024 rulesets drawn
as for trainings that vary them, of no training's seed. In teams each seat has an equal part of its team's chance, and
the scores are lower: 0.25 for knowing nothing in the duel.
"""

import argparse
from collections.abc import Sequence

import numpy as np
import polars as pl
from critic_tables import in_words, played, tables
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ursuppe_agents.search.guided import evaluator_of
from ursuppe_agents.search.value import features_of, weights_for
from ursuppe_agents.statistics.ratios import ratios, sums_by_cluster
from ursuppe_env import Games, Ruleset
from ursuppe_env.teams import Teams
from ursuppe_training.default_policies import policy_path
from ursuppe_training.outcomes import WIN, outcomes_of, team_shares
from ursuppe_training.policy_files import read_provenance
from ursuppe_training.rulesets import NUM_VARIED, varied_rulesets

_LAST_ROUND = 99
_STAGES = ((1, 3), (4, 6), (7, _LAST_ROUND))
_PART = 0.02  # of the decisions: some six in a game
_SEED = 2**62 + 7  # no training has these games
_RULESETS_SEED = 2**41  # nor these rulesets


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policy", help="a file of `ursuppe train`, default or duel")
    parser.add_argument("--players", type=int, default=4, help="which of the default policies")
    parser.add_argument("--games", type=int, default=1000, help="at each table")
    parser.add_argument("--varied", action="store_true", help="rulesets that vary, in place of edition 1998 as printed")
    options = parser.parse_args()
    provenance = read_provenance(policy_path(options.policy, options.players))
    players, teams = provenance.players, provenance.partition
    rulesets = varied_rulesets(players, NUM_VARIED, _RULESETS_SEED) if options.varied else [Ruleset(players=players)]
    table = Table("table", "rounds", "positions", "critic", "value function", "difference")
    for seats in track(tables(players if teams is None else len(teams)), "playing"):
        errors = errors_at(seats, options.policy, teams, rulesets, options.games)
        for first, last in _STAGES:
            found = errors.filter(pl.col("round").is_between(first, last))
            rounds = f"{first}-{last}" if last != _LAST_ROUND else f"from {first} on"
            table.add_row(in_words(seats), rounds, f"{len(found):,}", *compared(found, options.games))
    Console(width=120).print(f"{options.games:,} games at each table; 95 % intervals by game", table)


def compared(errors: pl.DataFrame, num_games: int) -> tuple[str, str, str]:
    """The mean errors of both, and their difference."""
    sums = sums_by_cluster(errors, num_games, {"critic": "positions", "value function": "positions"})
    means = ratios(sums, np.random.default_rng(0))
    difference = means["critic"].minus(means["value function"]).interval()
    ends = "" if difference is None or difference.ends is None else " ({:+.3f} to {:+.3f})".format(*difference.ends)
    estimates = [mean.estimate for mean in means.values()]
    return f"{estimates[0]:.3f}", f"{estimates[1]:.3f}", f"{estimates[0] - estimates[1]:+.3f}{ends}"


def errors_at(
    table: tuple[str, ...], policy: str, teams: Teams | None, rulesets: Sequence[Ruleset], num_games: int
) -> pl.DataFrame:
    """A row for each position that is looked at: its game (``index``), round, a 1 (``positions``), and both errors."""
    games = Games(num_games, rulesets, seed=_SEED)
    evaluator = evaluator_of(policy)
    parts: list[dict[str, NDArray[np.generic]]] = []
    for index, seen in played(games, table, policy, teams, _PART, seed=0):
        _, of_critic = evaluator.evaluate(seen, np.arange(len(seen)))
        chances = {"critic": of_critic, "value function": chances_by_value(seen, teams)}
        parts.append({"index": index, "round": seen.rounds.copy(), **chances})
    won = outcomes_of(games, np.arange(num_games), teams)[:, 0, :, WIN]
    for part in parts:
        for name in ("critic", "value function"):
            part[name] = ((part[name] - won[part["index"]]) ** 2).sum(axis=1)
    return pl.concat(pl.DataFrame(part) for part in parts).with_columns(positions=1)


def chances_by_value(games: Games, teams: Teams | None) -> NDArray[np.float64]:
    """(n, P) chances of winning by the value function."""
    features, rounds_left = features_of(games)
    weights = weights_for(games.num_players)
    strengths = ((weights[0] + weights[1] / rounds_left[:, np.newaxis, np.newaxis]) * features).sum(axis=2)
    chances = np.exp(strengths - strengths.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return chances if teams is None else chances @ team_shares(teams)


if __name__ == "__main__":
    main()
