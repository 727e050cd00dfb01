"""How well a policy's critic foretells who wins, beside the value function of ``greedy`` and ``search``.

``python benchmarks/critic.py runs/mine/best.zip``, some minutes on one core: games at several tables; at some of their
positions, chosen at random, both say each player's chance of winning. The error is Brier's score: the squared
difference from who won, summed over the players; with 4 of them 0.75 for knowing nothing, 0 for knowing all. It is
given by round, with 95 % intervals that resample the games; and so is by how many points the critic takes the seat that
decides, from which it looks, for too strong. With ``--varied`` each game has one of 1,024 rulesets drawn
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

from ursuppe_agents.policies.files import read_provenance
from ursuppe_agents.policies.rulesets import NUM_VARIED, varied_rulesets
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_agents.policies.weights import WIN, team_shares
from ursuppe_agents.search.guided import evaluator_of
from ursuppe_agents.search.value import features_of, weights_for
from ursuppe_env import Games, Ruleset
from ursuppe_env.teams import Teams
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.ratios import ratios, sums_by_cluster
from ursuppe_training.networks.outcomes import outcomes_of
from ursuppe_training.seeds import Seed

_LAST_ROUND = 99
_STAGES = {"set-up": (0, 0), "1-3": (1, 3), "4-6": (4, 6), "from 7 on": (7, _LAST_ROUND)}
_ERRORS, _TOO_HIGH = ("critic", "value function"), "decides, too high by"
_PART = 0.02  # of the decisions: some six in a game


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
    rulesets = (
        varied_rulesets(players, NUM_VARIED, Seed.RULESETS_OF_CRITICS) if options.varied else [Ruleset(players=players)]
    )
    table = Table("table", "rounds", "positions", *_ERRORS, "difference", _TOO_HIGH)
    for seats in track(tables(players if teams is None else len(teams)), "playing"):
        errors = errors_at(seats, options.policy, teams, rulesets, options.games)
        for rounds, (first, last) in _STAGES.items():
            found = errors.filter(pl.col("round").is_between(first, last))
            table.add_row(in_words(seats), rounds, f"{len(found):,}", *compared(found, options.games))
    Console(width=150).print(f"{options.games:,} games at each table; 95 % intervals by game", table)


def compared(errors: pl.DataFrame, num_games: int) -> tuple[str, ...]:
    """The mean errors of both, their difference, and how much too high the chance of whoever decides is."""
    sums = sums_by_cluster(errors, num_games, dict.fromkeys((*_ERRORS, _TOO_HIGH), "positions"))
    means = ratios(sums, np.random.default_rng(0))
    critic, value_function, too_high = (means[name] for name in (*_ERRORS, _TOO_HIGH))
    difference = said(critic.minus(value_function).interval(), "+.3f")
    return f"{critic.estimate:.3f}", f"{value_function.estimate:.3f}", difference, said(too_high.interval(), "+.1f")


def said(interval: Interval | None, form: str) -> str:
    """Such as ``-0.019 (-0.030 to -0.007)``."""
    if interval is None:
        return "–"
    ends = "" if interval.ends is None else " ({} to {})".format(*(f"{end:{form}}" for end in interval.ends))
    return f"{interval.estimate:{form}}{ends}"


def errors_at(
    table: tuple[str, ...], policy: str, teams: Teams | None, rulesets: Sequence[Ruleset], num_games: int
) -> pl.DataFrame:
    """A row for each position that is looked at: its game (``index``), round, a 1 (``positions``), both errors, and by
    how many points the critic's chance of whoever decides is too high.
    """
    games = Games(num_games, rulesets, seed=Seed.CRITICS)
    evaluator = evaluator_of(policy)
    parts: list[dict[str, NDArray[np.generic]]] = []
    for index, seen in played(games, table, policy, teams, _PART, seed=0):
        _, of_critic = evaluator.evaluate(seen, np.arange(len(seen)))
        chances = {"critic": of_critic, "value function": chances_by_value(seen, teams)}
        parts.append({"index": index, "round": seen.rounds.copy(), "player": seen.player.copy(), **chances})
    won = outcomes_of(games, np.arange(num_games), teams)[:, 0, :, WIN]
    for part in parts:
        of_game, decides = won[part["index"]], np.eye(won.shape[1])[part.pop("player")]
        part[_TOO_HIGH] = 100 * ((part["critic"] - of_game) * decides).sum(axis=1)
        for name in _ERRORS:
            part[name] = ((part[name] - of_game) ** 2).sum(axis=1)
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
