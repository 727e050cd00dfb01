"""Randomised trials of genes: the same game goes on with and without a gene for one player, with the same dice.

A game is played to a player's purchases (phase 3) in some round; who and in which round is drawn at random. There it
branches, once for each gene that they could have and in each of these ways:

- *denied*: they never get the gene, neither now nor later (``branching.py``);
- *paid*: they buy it now, if they can afford it;
- *given*: they buy it now, and its price is given to them.

Beside them it goes on as it would (*natural*), and with some BP more for the player (*rich*). So what the player has
differs by chance alone, and two branches of a game share all that came before, and their dice as far as possible.

Who wins then is exact, for these players, and noisy. With a *horizon* the branches are played for so many rounds more,
and what counts is the chance of winning that the player's own agent predicts there.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.line import counted
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.validation import checked_count
from ursuppe_lab.arena.matches import seat_agents
from ursuppe_lab.balance.branching import BRANCHES, play_branches
from ursuppe_lab.balance.measures.chronicle import play_chronicled
from ursuppe_lab.balance.study import KEYS, Study, StudyBatch

MARGIN = "_margin"  # the end of the names of the columns with margins

_KEYS = pl.Schema({**KEYS, "gene": pl.String(), "round": pl.Int8(), "player": pl.Int8()})
#: A row for each gene in each game, where branches are played to the end.
COLUMNS = pl.Schema(
    {
        **_KEYS,
        "asked": pl.Boolean(),  # did the player decide about purchases in that round? Else there are no branches
        # wins of the player, 0 or 1, in each branch; null where there was none. Those of natural and rich are the same
        # in all rows of a game.
        **{name: pl.Int8() for name in BRANCHES},
        # the player's marker minus the mean of all markers
        **{name + MARGIN: pl.Float32() for name in BRANCHES},
        # the same game as it is played without any interference, from its beginning
        "buyers": pl.Int8(),  # players who ever buy the gene
        "winner_bought": pl.Int8(),  # 1: the winner is one of them
    }
)


@dataclass(frozen=True, kw_only=True)
class GeneStudy(Study):
    """Randomised trials of all genes.

    Args:
        rounds: in which purchases are interfered with; each game takes one of them, in turn.
        bonus: BP that are given in the branch *rich*, at least 1.
        horizon: how many rounds are played after that of the trial, at least 0; then the player's own agent, a policy
            or one that searches by it, predicts their chance of winning. None: games are played to the end.
    """

    kind: ClassVar[str] = "genes"
    most_at_once: ClassVar[int] = 64  # each has dozens of branches

    rounds: tuple[int, ...]
    bonus: int
    horizon: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        last = min(len(ruleset.environment) - 1 for _, ruleset in self.variants)
        for number in self.rounds:
            if number > last:
                raise ValueError(f"rounds has {number}; with these rulesets it must be at most {last}")
        if self.horizon is not None:
            object.__setattr__(self, "horizon", checked_count("horizon", self.horizon, 0, ", or None"))

    @property
    def columns(self) -> pl.Schema:
        """``COLUMNS``; with a horizon wins are chances from 0 to 1."""
        return COLUMNS if self.horizon is None else pl.Schema({**COLUMNS, **dict.fromkeys(BRANCHES, pl.Float64())})

    @property
    def about_predictions(self) -> str | None:
        """What the figures rest on if they are predictions; None if games are played to the end."""
        if self.horizon is None:
            return None
        later = f"{counted(self.horizon, 'round')} after that of the purchase"
        played = later if self.horizon else "to the round's end"
        return (
            f"Chances of winning are predictions: each branch was played {played}, and then the player's own agent "
            "predicted who wins. What it misjudges is in no interval."
        )

    def as_dict(self) -> dict[str, Any]:
        horizon = {} if self.horizon is None else {"horizon": self.horizon}
        return super().as_dict() | {"rounds": list(self.rounds), "bonus": self.bonus} | horizon


def keys_of_trials(batch: StudyBatch[GeneStudy]) -> pl.DataFrame:
    """The columns that say which rows a batch has."""
    rounds, players = _plan(batch)
    games = batch.keys.with_columns(pl.Series("round", rounds, pl.Int8), pl.Series("player", players, pl.Int8))
    return games.join(pl.DataFrame({"gene": GENE_NAMES}), how="cross").select(list(_KEYS))


def play_trials(batch: StudyBatch[GeneStudy]) -> pl.DataFrame:
    """Play the games of a batch and all their branches, and return a row of its columns for each gene in each game."""
    rounds, players = _plan(batch)

    def are_asked(games: Games) -> NDArray[np.bool_]:
        """(N,) is the player about to buy in that round?"""
        state = games.state
        return (state["node"] == Decision.BUY) & (state["player"] == players) & (state["round"] == rounds)

    ordinary = play_chronicled(batch.matches)  # without any interference
    buys = ordinary.first_purchase > 0
    matches = seat_agents(batch.matches)
    matches.play(held=lambda games: are_asked(games) | (games.state["round"] > rounds))
    asked = are_asked(matches.games)
    study, schema = batch.study, batch.study.columns
    last_rounds = None if study.horizon is None else rounds + study.horizon
    wins, margins = play_branches(matches, players, np.flatnonzero(asked), study.bonus, last_rounds)
    figures: dict[str, NDArray[Any]] = {"asked": np.repeat(asked, NUM_GENES)}
    for branch, name in enumerate(BRANCHES):
        figures[name], figures[name + MARGIN] = wins[:, :, branch].ravel(), margins[:, :, branch].ravel()
    winner_bought = buys[np.arange(ordinary.num_games), ordinary.winner].astype(np.int64)
    figures |= {"buyers": buys.sum(axis=1).ravel(), "winner_bought": winner_bought.ravel()}
    columns = (pl.Series(name, values, nan_to_null=True).cast(schema[name]) for name, values in figures.items())
    return keys_of_trials(batch).with_columns(columns).select(list(schema))


def _plan(batch: StudyBatch[GeneStudy]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N,) the round in which purchases are interfered with, and (N,) whose, in the games of a batch."""
    rounds, players = batch.study.rounds, batch.study.ruleset(batch.variant).players
    index, rotation = batch.keys["index"].to_numpy(), batch.keys["rotation"].to_numpy()
    drawn = [np.random.default_rng([batch.study.seed, *key]).random() for key in zip(index, rotation, strict=True)]
    return np.array(rounds)[index % len(rounds)], (np.array(drawn) * players).astype(np.int64)
