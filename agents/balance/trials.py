"""Randomised trials of genes: the same game goes on with and without a gene for one player, with the same dice.

A game is played to a player's purchases (phase 3) in some round; who and in which round is drawn at random. There it
branches, once for each gene that he could have and in each of these ways:

- *denied*: he never gets the gene, neither now nor later (``barring.py``);
- *paid*: he buys it now, if he can afford it;
- *given*: he buys it now, and its price is given to him.

Beside them it goes on as it would (*natural*), and with some BP more for the player (*rich*). After that everybody
plays as he always does. So what he has differs by chance alone, not because good players buy good genes; and two
branches of a game share all that came before, and their dice as far as the games allow.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.arena.sitting import Sitting, sit_down
from ursuppe_agents.balance.barring import NO_GENE, Barred
from ursuppe_agents.balance.chronicle import Chronicler
from ursuppe_agents.balance.study import KEYS, Part, Study
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.actions import FIRST_BUY, PASS
from ursuppe_env.rules.genes import ARMOUR_FOR_DEFENSE, ARMOUR_FOR_ESCAPE, GENE_NAMES, NUM_GENES, Gene
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.stored import fill_legal_actions

BRANCHES = ("natural", "rich", "denied", "given", "paid")
MARGIN = "_margin"  # the end of the names of the columns with margins
_NATURAL, _RICH, _DENIED, _GIVEN, _PAID = range(len(BRANCHES))

_KEYS = pl.Schema({**KEYS, "gene": pl.String(), "round": pl.Int8(), "player": pl.Int8()})
#: A row for each gene in each game.
COLUMNS = pl.Schema(
    {
        **_KEYS,
        "asked": pl.Boolean(),  # did the player decide about purchases in that round? Else there are no branches
        # wins of the player, 0 or 1, in each branch; null where there was none. Those of natural and rich are the same
        # in all rows of a game.
        **{name: pl.Int8() for name in BRANCHES},
        # his marker minus the mean of all markers
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
    """

    kind: ClassVar[str] = "genes"
    most_at_once: ClassVar[int] = 64  # each has dozens of branches
    least_parts: ClassVar[int] = 4
    columns: ClassVar[pl.Schema] = COLUMNS

    rounds: tuple[int, ...]
    bonus: int

    def __post_init__(self) -> None:
        super().__post_init__()
        last = min(len(ruleset.environment) - 1 for _, ruleset in self.variants)
        for number in self.rounds:
            if number > last:
                raise ValueError(f"rounds has {number}; with these rulesets it must be at most {last}")

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"rounds": list(self.rounds), "bonus": self.bonus}


@dataclass(frozen=True)
class _Plan:
    """What is drawn for the N games of a part.

    Attributes:
        round: (N,) in which the purchases are interfered with.
        player: (N,) whose purchases.
    """

    round: NDArray[np.int64]
    player: NDArray[np.int64]

    def is_reached(self, games: Games) -> NDArray[np.bool_]:
        """(N,) is the player about to buy in that round?"""
        state = games.state
        is_his = (state["node"] == Decision.BUY) & (state["player"] == self.player)
        return is_his & (state["round"] == self.round)

    def is_reached_or_missed(self, games: Games) -> NDArray[np.bool_]:
        """(N,) the same, or is the round over?"""
        return self.is_reached(games) | (games.state["round"] > self.round)


def keys_of_trials(part: Part) -> pl.DataFrame:
    """The columns that say which rows a part has."""
    plan = _plan(part)
    games = part.keys.with_columns(pl.Series("round", plan.round, pl.Int8), pl.Series("player", plan.player, pl.Int8))
    return games.join(pl.DataFrame({"gene": GENE_NAMES}), how="cross").select(list(_KEYS))


def play_trials(part: Part) -> pl.DataFrame:
    """Play the games of a part and all their branches, and return a row of ``COLUMNS`` for each gene in each game.

    Raises:
        AgentError: an agent crashed or gave an illegal action.
    """
    plan = _plan(part)
    buyers, winner_bought = _ordinary_play(part)
    sitting = sit_down(part.chunk)
    sitting.play(held=plan.is_reached_or_missed)
    asked = plan.is_reached(sitting.games)
    wins, margins = _play_branches(sitting, plan, np.flatnonzero(asked), part.study.bonus)
    figures: dict[str, NDArray[Any]] = {"asked": np.repeat(asked, NUM_GENES)}
    for branch, name in enumerate(BRANCHES):
        figures[name], figures[name + MARGIN] = wins[:, :, branch].ravel(), margins[:, :, branch].ravel()
    figures |= {"buyers": buyers.ravel(), "winner_bought": winner_bought.ravel()}
    columns = (pl.Series(name, values, nan_to_null=True).cast(COLUMNS[name]) for name, values in figures.items())
    return keys_of_trials(part).with_columns(columns).select(list(COLUMNS))


def _plan(part: Part) -> _Plan:
    rounds, players = part.study.rounds, part.study.ruleset(part.variant).players
    index, rotation = part.keys["index"].to_numpy(), part.keys["rotation"].to_numpy()
    drawn = [np.random.default_rng([part.study.seed, *key]).random() for key in zip(index, rotation, strict=True)]
    return _Plan(np.array(rounds)[index % len(rounds)], (np.array(drawn) * players).astype(np.int64))


def _ordinary_play(part: Part) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N, 20) how many players ever buy each gene, and whether the winner does, without any interference."""
    sitting = sit_down(part.chunk, pause_after_rounds=True)
    chronicler = Chronicler(sitting.games)
    sitting.play(chronicler)
    chronicle = chronicler.chronicle()
    buys = chronicle.first_purchase > 0
    winner_bought = buys[np.arange(chronicle.num_games), chronicle.winner]
    return buys.sum(axis=1), winner_bought.astype(np.int64)


def _play_branches(
    sitting: Sitting, plan: _Plan, rows: NDArray[np.int64], bonus: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(N, 20, branches) wins and margins of the player in each branch of each game; NaN where there is none.

    Args:
        sitting: the games where they branch.
        plan: for them.
        rows: (n,) those that do.
        bonus: BP for the branch rich.
    """
    wins = np.full((len(plan.player), NUM_GENES, len(BRANCHES)), np.nan)
    margins = wins.copy()
    if len(rows) == 0:
        return wins, margins
    row, gene, branch, games = _branches(sitting.games, plan.player, rows, bonus)
    player = plan.player[row]
    barred = np.where(branch == _DENIED, gene, NO_GENE)
    branched = sitting.branch(row, games)
    branched.agents = {member: Barred(agent, player, barred) for member, agent in sitting.agents.items()}
    branched.play()
    markers = games.markers
    margin = markers[np.arange(len(games)), player] - markers.mean(axis=1)
    for values, found in ((wins, games.winner == player), (margins, margin)):
        for_gene = gene != NO_GENE
        values[row[for_gene], gene[for_gene], branch[for_gene]] = found[for_gene]
        for number in (_NATURAL, _RICH):  # for all genes of the game
            values[row[branch == number], :, number] = found[branch == number][:, None]
    return wins, margins


def _branches(
    games: Games, players: NDArray[np.int64], rows: NDArray[np.int64], bonus: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Games]:
    """All branches of these games, with the purchases made that they are about.

    Args:
        games: those of ``rows`` are about to ask for purchases.
        players: (N,) who buys.
        rows: (n,) of the games.
        bonus: BP for the branch rich.

    Returns:
        (B,) the game that each is a branch of; (B,) its gene, -1 for none; (B,) which branch it is; the B games.
    """
    here, ruleset = games.copy(rows).state, games.ruleset
    buyer = players[rows]
    states = [here, _with_bp(here, buyer, bonus, ruleset)]
    found = [(rows, NO_GENE, _NATURAL, PASS), (rows, NO_GENE, _RICH, PASS)]
    for gene in range(NUM_GENES):
        richer = _with_bp(here, buyer, ruleset.price[gene], ruleset)
        for purchase in _PURCHASES.get(gene, (gene,)):
            is_possible, is_affordable = (_is_legal(there, FIRST_BUY + purchase) for there in (richer, here))
            if purchase == ARMOUR_FOR_ESCAPE:  # one way is enough
                is_possible &= ~_is_legal(richer, FIRST_BUY + ARMOUR_FOR_DEFENSE)
            is_affordable &= is_possible
            states += [here[is_possible], richer[is_possible], here[is_affordable]]
            found += [
                (rows[is_possible], gene, _DENIED, PASS),
                (rows[is_possible], gene, _GIVEN, FIRST_BUY + purchase),
                (rows[is_affordable], gene, _PAID, FIRST_BUY + purchase),
            ]
    row = np.concatenate([of for of, *_ in found])
    gene_of, branch, action = (
        np.repeat([entry[k] for entry in found], [len(of) for of, *_ in found]) for k in (1, 2, 3)
    )
    branches = Games.from_state(np.concatenate(states), ruleset, threads=1)
    buying = np.flatnonzero(action != PASS)
    branches.step(action[buying], buying)
    return row, gene_of, branch, branches


def _with_bp(states: NDArray[np.void], player: NDArray[np.int64], bp: int, ruleset: Ruleset) -> NDArray[np.void]:
    """Copies of these states, (n,), in which the player, (n,), has so many BP more."""
    richer = states.copy()
    richer["bp"][np.arange(len(richer)), player] += bp
    for state in richer:
        fill_legal_actions(state, ruleset)
    return richer


def _is_legal(states: NDArray[np.void], action: int) -> NDArray[np.bool_]:
    """(n,) is the action legal in each of these states?"""
    return (states["legal"][:, action // 32] >> np.uint32(action % 32)) & np.uint32(1) == 1


#: Armour can be bought in two ways.
_PURCHASES = {int(Gene.ARMOUR): (ARMOUR_FOR_DEFENSE, ARMOUR_FOR_ESCAPE)}
