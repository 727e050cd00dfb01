"""How far the answer depends on how strong the players are: do verdicts on genes settle as agents get stronger?

All agents that genes were measured under are rated at mixed tables of one tournament. Then there are two questions: is
what the strongest agent says of a gene contradicted by weaker ones, and up to which rating? And do agents rank the
genes as the strongest one does, the more so the stronger they are?
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import linregress, rankdata  # type: ignore[import-untyped]

from studies.genes import MARKS, OPPOSITE, genes_of, neutral_price_of, verdict_of
from studies.pages import table, title
from studies.results import Results, Worths
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.spread import Gains
from ursuppe_lab.balance.figures.verdicts import Verdict
from ursuppe_lab.reports.text import confidence_set, value
from ursuppe_lab.statistics import Interval, student
from ursuppe_lab.statistics.ratios import Bootstrapped

_FEWEST_GENES = 3  # that can have ranks to speak of
_FEWEST_AGENTS = 4  # beside the strongest, for a trend
_UNIT = 100  # points of rating


class Rated(NamedTuple):
    """An agent's worths of the genes, and how strong it is."""

    worths: Worths
    rating: Interval


def rated(results: Results) -> list[Rated]:
    """All agents in the first setting, the weakest first."""
    ratings = {f"`{figures.agent}`": figures.rating for figures in results.ratings.agents}
    found = [Rated(one, ratings[one.agent]) for one in results.worths if one.setting == results.settings[0]]
    return sorted(found, key=lambda one: one.rating.estimate)


def history(verdicts: Sequence[Verdict], agents: Sequence[str]) -> str:
    """What becomes of the strongest agent's verdict on a gene, in words; the weakest agent is the first."""
    last = verdicts[-1]
    if last == Verdict.OPEN:
        return "it has none"
    contrary = [agent for agent, verdict in zip(agents, verdicts, strict=True) if verdict == OPPOSITE[last]]
    if not contrary:
        return f"{last}, contradicted by nobody; {verdicts.count(last)} of {len(agents)} say so"
    return f"{last}, contradicted up to {contrary[-1]}"


def rank_correlation(one: Gains, other: Gains) -> Bootstrapped | None:
    """Spearman's correlation of the genes' surpluses; None where too few genes are known under both.

    Chance lowers it; ``reflected`` makes up for that.
    """
    of_one, of_other = (dict(zip(found.genes, found.gain, strict=True)) for found in (one, other))
    genes = [gene for gene in GENE_NAMES if gene in of_one and gene in of_other]
    if len(genes) < _FEWEST_GENES:
        return None
    ranks = [_ranks([found[gene] for gene in genes]) for found in (of_one, of_other)]
    correlations = (ranks[0] * ranks[1]).sum(axis=1)
    return Bootstrapped(float(correlations[0]), correlations[1:])


def _ranks(found: Sequence[Bootstrapped]) -> NDArray[np.float64]:
    """(1 + R, K) ranks of the estimates and of each resample, around 0 and of length 1."""
    values = np.stack([np.append(one.estimate, one.resampled) for one in found], axis=1)
    ranked = rankdata(values, axis=1) - (len(found) + 1) / 2
    length = np.linalg.norm(ranked, axis=1, keepdims=True)
    return np.asarray(ranked / np.where(length == 0, 1, length))  # what is all the same goes with nothing


def reflected(found: Bootstrapped, most: float = np.inf) -> Interval:
    """A figure that chance moves to one side, with its interval, and at most so far from 0.

    Chance moves that of resamples twice, because they scatter around estimates that scatter around the truth. So the
    interval is reflected: as far as resamples lie below the figure, so far the truth may lie above it.
    """
    estimate = found.estimate
    lowest, highest = np.quantile(found.resampled, [0.025, 0.975])
    low, high = min(2 * estimate - highest, estimate), max(2 * estimate - lowest, estimate)
    return Interval(estimate, max(float(low), -most), min(float(high), most))


def correlations(agents: Sequence[Rated]) -> list[tuple[Rated, Bootstrapped]]:
    """Agents with their correlation with the last one, the strongest, as far as it is known."""
    strongest = agents[-1].worths.gains
    known = [one for one in agents[:-1] if one.worths.gains is not None and strongest is not None]
    found = [(one, rank_correlation(one.worths.gains, strongest)) for one in known]
    return [(one, correlation) for one, correlation in found if correlation is not None]


def trend(agents: Sequence[Rated]) -> Interval | None:
    """By how much the correlation with the strongest rises with 100 points of rating; None if too little is known.

    The slope of a straight line through the agents, with Student's interval from how far they lie beside it: in that
    are the luck of the games and that other agents might have been there.
    """
    known = [(one.rating.estimate / _UNIT, found.estimate) for one, found in correlations(agents)]
    if len(known) < _FEWEST_AGENTS:
        return None
    line = linregress(*np.transpose(known))
    slope, reach = float(line.slope), student.reach(float(line.stderr), len(known) - 1)  # two figures of a line
    return Interval(slope, slope - reach, slope + reach)


def strength_tables(results: Results) -> dict[str, str]:
    """The verdicts of all agents on each gene, and whether stronger agents agree more with the strongest."""
    agents = rated(results)
    names = [f"{one.worths.agent} ({one.rating.estimate:+.0f})" for one in agents]
    gene_rows = []
    for gene, figures in genes_of(agents[-1].worths).items():
        verdicts = [verdict_of(genes_of(one.worths)[gene]) for one in agents]
        marks = "".join(MARKS[verdict] or "·" for verdict in verdicts)
        surplus = None if neutral_price_of(figures) is None else figures.surplus
        gene_rows.append([title(gene), confidence_set(surplus, "+.1f"), marks, history(verdicts, names)])
    slope = value(trend(agents), "+.3f")
    return {
        "strength genes": table(["gene", "surplus", "verdicts", "what becomes of the strongest one's"], gene_rows),
        "strength trend": f"{slope} of rank correlation for {_UNIT} points of rating",
    }
