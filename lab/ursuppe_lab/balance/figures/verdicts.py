"""Which genes are cheap and which are dear, and where BP are no currency.

A verdict follows from what buying the gene did to the chance of winning. Beside it stands what the neutral price says,
which means nothing where *BP are no currency*: where the games contradict that a player with more BP wins more, since

- who pays for the gene is shown to win more than who is given it: the BP that are left do harm;
- BP as a present are shown to make the player win less;
- the gene is cheap by what buying it did, and dear by its neutral price, or the other way round.

An agent that spends badly does that. Verdicts hold at a false discovery rate for all that is judged together, one for
those by what buying did and one for those by neutral prices. The warning has none: it is hardly ever false, and one
that is missed would do more harm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ursuppe_lab.statistics import FALSE_DISCOVERIES
from ursuppe_lab.statistics.discoveries import adjusted, two_sided

#: Of trials in which a purchase could be paid, for a verdict. Student's t needs some that changed who won: a handful in
#: which hardly anything changed would make it too sure.
FEWEST_PAID = 30
_ONE_SIDE = 0.025  # of a 95 % interval


class Verdict(StrEnum):
    """What a purchase is."""

    CHEAP = "cheap"
    DEAR = "dear"
    OPEN = "open"  # neither is shown


class PValues(NamedTuple):
    """One-sided p-values of a gene: how likely a figure at least so large is where the truth is 0 or less."""

    payable: int  # trials in which it could be paid
    paid: float | None
    surplus: float | None  # of *given*, less the price in BP
    thrift: float | None  # of *paid* minus *given*, in the same games
    bp: float | None  # of what one BP more does


@dataclass(frozen=True)
class GeneJudgement:
    """What is said of a gene.

    Attributes:
        adjusted_p: of *paid*, to either side, adjusted for all that is judged; None if it could be paid too rarely.
        verdict: by what buying it did.
        by_price: by its neutral price beside its price.
        is_currency: are BP a currency here, as far as these games say? Else a neutral price means nothing.
    """

    adjusted_p: float | None
    verdict: Verdict
    by_price: Verdict
    is_currency: bool


def judge(genes: Sequence[PValues]) -> list[GeneJudgement]:
    """What is said of genes that are judged together: all of a report, or all of a page."""
    is_known = [one.payable >= FEWEST_PAID for one in genes]
    paid, surplus = (
        adjusted([two_sided(p) if known else None for p, known in zip(found, is_known, strict=True)])
        for found in ([one.paid for one in genes], [one.surplus for one in genes])
    )
    judgements = []
    for number, one in enumerate(genes):
        verdict, by_price = _verdict(paid[number], one.paid), _verdict(surplus[number], one.surplus)
        are_opposite = {verdict, by_price} == {Verdict.CHEAP, Verdict.DEAR}
        is_contradicted = is_known[number] and (_is_sure(one.thrift) or _is_sure(one.bp, below=True))
        judgements.append(GeneJudgement(paid[number], verdict, by_price, not (are_opposite or is_contradicted)))
    return judgements


def _verdict(adjusted_p: float | None, p_positive: float | None) -> Verdict:
    if adjusted_p is None or p_positive is None or adjusted_p > FALSE_DISCOVERIES:
        return Verdict.OPEN
    return Verdict.CHEAP if p_positive < 0.5 else Verdict.DEAR


def _is_sure(p_positive: float | None, below: bool = False) -> bool:
    """Does the 95 % interval lie above 0, or below it?"""
    return p_positive is not None and (1 - p_positive if below else p_positive) <= _ONE_SIDE
