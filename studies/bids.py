"""What a start place is worth in BP: what somebody should bid for it, who pays before the game begins.

A *trial* of a BP plays a game twice, with the same dice: one player has some BP more at the beginning than the ruleset
gives, and then as many fewer. The change of their chance of winning, divided by the difference in BP, is what a BP is
worth there. A place's advantage, its wins less those of an equal share, divided by that, is its price.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from ursuppe_env.games import trusted_games
from ursuppe_lab.arena.matches import seat_agents, try_agents
from ursuppe_lab.balance.branching import with_bp
from ursuppe_lab.balance.laboratory import OnProgress
from ursuppe_lab.balance.study import KEYS, Study, StudyBatch
from ursuppe_lab.balance.variants import VariantStudy
from ursuppe_lab.jobs.folder import RunFolder, do_parts
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient, quotient
from ursuppe_lab.statistics.ratios import sums_by_cluster

#: BP more and fewer: half of what each player begins with, so that nobody is left without.
BONUS = 2
#: A row for each game: whether the player won it with more BP, and with fewer.
COLUMNS = pl.Schema({**KEYS, "player": pl.Int8(), "rich": pl.Int8(), "poor": pl.Int8()})


@dataclass(frozen=True, kw_only=True)
class BidStudy(Study):
    """Trials of BP at the beginning, in the very games of another study."""

    kind: ClassVar[str] = "bids"

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"bonus": BONUS}


class Bids(NamedTuple):
    """What start places are worth."""

    study: BidStudy  # what was played
    bp: Interval | None  # what one BP more at the beginning does to the chance of winning
    #: Of each place, BP: its advantage over an equal share, divided by that. Below 0: what its owner should be paid.
    prices: dict[str, Quotient | None]


def bid_study(places: VariantStudy) -> BidStudy:
    """The trials that go with the first ruleset of a study of start places: with the same agents and dice."""
    return BidStudy(
        name=f"BP at the beginning: {places.name}",
        lineups=places.lineups[:1],
        num_games=places.num_games,
        seed=places.seed,
        variants=places.variants[:1],
    )


def measure_bids(
    study: BidStudy,
    places: pl.DataFrame,
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> Bids:
    """Play the trials, or what is left of them, and divide; arguments and errors are those of ``compare_variants``.

    ``places`` are the games of the other study with its first ruleset and lineup: ``wins_by_start_place``.
    """
    [tournament] = study.tournaments(0)
    try_agents(tournament)
    kept = RunFolder(folder, study.as_dict(), COLUMNS, tournament.agents, [tournament.ruleset.players])
    trials = do_parts(play_bids, study.batches(), lambda batch: batch.keys, kept, workers, False, on_progress)
    return bids_of(study, trials, places)


def bids_of(study: BidStudy, trials: pl.DataFrame, places: pl.DataFrame) -> Bids:
    """The figures, from all trials and the games of the other study."""
    players, num_seeds = study.ruleset(0).players, study.num_seeds(0, 0)
    names = [f"place {place}" for place in range(1, players + 1)]
    worth = trials.select("index", bp=(pl.col("rich") - pl.col("poor")) / (2 * BONUS))
    advantages = places.select("index", *(pl.col(f"wins_by_start_place/{name}") - 1 / players for name in names))
    advantages.columns = ["index", *names]
    of_bp = sums_by_cluster(worth, num_seeds, {"bp": None})
    of_places = sums_by_cluster(advantages, num_seeds, dict.fromkeys(names))
    bp, games = of_bp.numerators[:, 0], of_bp.denominators[:, 0]
    found = quotient(bp, games, games)
    return Bids(
        study,
        None if found is None else found.interval(),
        {name: quotient(of_places.numerators[:, k], bp, games) for k, name in enumerate(names)},
    )


def play_bids(batch: StudyBatch[BidStudy]) -> pl.DataFrame:
    """Play the games of a batch with more and with fewer BP for one player, each player in turn."""
    matches = seat_agents(batch.matches)
    rows = np.arange(len(matches.games))
    player = batch.keys["index"].to_numpy() % matches.games.num_players
    states = matches.games.copy().state
    both = np.concatenate([with_bp(states, player, bp, matches.games.ruleset) for bp in (BONUS, -BONUS)])
    twice = matches.branch(np.tile(rows, 2), trusted_games(both, matches.games.ruleset, threads=1))
    twice.play()
    rich, poor = (twice.games.winner == np.tile(player, 2)).reshape(2, -1).astype(np.int8)
    return batch.keys.with_columns(
        pl.Series("player", player.astype(np.int8)), pl.Series("rich", rich), pl.Series("poor", poor)
    ).select(list(COLUMNS))
