"""Which genes are cheap and which are dear, at which prices they would not be, and what a search found fairer.

How far the answer depends on how strong the players are: all agents that genes were measured under are rated at mixed
tables of one tournament. Is what the strongest agent says of a gene contradicted by weaker ones, and up to which
rating? And do agents rank the genes as the strongest one does, the more so the stronger they are?
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import linregress, rankdata  # type: ignore[import-untyped]

from studies.pages import listed, table
from studies.results import StudyResults, Worths
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.balance.figures.spread import Gains
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, Verdict
from ursuppe_lab.balance.figures.worth import GeneFigures, about_verdicts
from ursuppe_lab.reports.text import confidence_set, value
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient, reach
from ursuppe_lab.statistics.ratios import Bootstrapped

#: Of a verdict, behind a figure.
MARKS = {Verdict.CHEAP: "▲", Verdict.OPEN: "", Verdict.DEAR: "▼"}
OPPOSITE = {Verdict.CHEAP: Verdict.DEAR, Verdict.DEAR: Verdict.CHEAP}
_FEWEST_GENES = 3  # that can have ranks to speak of
_FEWEST_AGENTS = 4  # beside the strongest, for a trend
_UNIT = 100  # points of rating


def genes_of(found: Worths) -> dict[str, GeneFigures]:
    """The figures over all rounds by gene."""
    return {figures.gene: figures for figures in found.trials.genes}


def paid_of(figures: GeneFigures) -> Interval | None:
    """What buying it does; None where it could be paid too rarely to judge it."""
    return None if figures.judgement is None or figures.judgement.adjusted_p is None else figures.paid


def verdict_of(figures: GeneFigures) -> Verdict:
    """What is said of it."""
    return Verdict.OPEN if figures.judgement is None else figures.judgement.verdict


def neutral_price_of(figures: GeneFigures) -> Quotient | None:
    """The price at which buying it would change nothing; None where it was tried too rarely, or BP are no currency.

    It is measured by gifts, also of genes that can hardly ever be paid.
    """
    is_worth = figures.p_values.bp is not None and figures.p_values.bp < 0.5  # what one BP more does there
    return figures.neutral_price if figures.trials >= FEWEST_PAID and is_worth and figures.is_currency else None


def gene_tables(results: StudyResults) -> dict[str, str]:
    """What buying every gene does, in every setting and in those of the first one's edition."""
    settings = results.settings
    edition = [0, *(n for n, setting in enumerate(settings, start=1) if setting.edition == settings[0].edition)]
    by_setting = {worths.setting: genes_of(worths) for worths in results.leading}
    rows = []
    for gene in genes_of(results.leading[0]):  # the best purchase first
        there = [by_setting[setting][gene] for setting in settings]
        said = [f"{value(paid_of(one), '+.1f', 100)} {MARKS[verdict_of(one)]}".strip() for one in there]
        rows.append([gene_title(gene), *said])
    head = ["gene", *map(str, settings)]
    return {
        "genes paid": table(head, rows),
        "genes paid-in-edition": table([head[n] for n in edition], [[row[n] for n in edition] for row in rows]),
        "genes shown": about_verdicts([worths.trials for worths in results.worths]),
    }


def fairer_tables(results: StudyResults) -> dict[str, str]:
    """The prices that a search under fixed agents found, and how fair they are on fresh dice."""
    game = results.fairer
    moved = {
        gene_title(field.removeprefix("price.")): (number_of(game.search.beginning, field), found)
        for field, found in game.best.values.items()
    }
    dearer, cheaper = (
        listed([f"{gene} {old} → {new}" for gene, (old, new) in moved.items() if (new - old) * way > 0])
        for way in (1, -1)
    )
    same = listed([gene for gene, (old, new) in moved.items() if old == new])
    spreads = [
        ["as printed", value(game.before, ".2f", 100)],
        ["found", value(game.after, ".2f", 100)],
        ["change", value(game.change, "+.2f", 100)],
    ]
    return {
        "fairer spread": table(["", "spread of the genes, points"], spreads),
        "fairer prices": f"- Dearer: {dearer}.\n- Cheaper: {cheaper}.\n- As printed: {same}.",
    }


class Rated(NamedTuple):
    """An agent's worths of the genes, and how strong it is."""

    worths: Worths
    rating: Interval


def rated(results: StudyResults) -> list[Rated]:
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


def reflected(found: Bootstrapped) -> Interval:
    """A correlation, which chance moves to one side, with its interval.

    Chance moves that of resamples twice, because they scatter around estimates that scatter around the truth. So the
    interval is reflected: as far as resamples lie below the figure, so far the truth may lie above it.
    """
    estimate = found.estimate
    lowest, highest = np.quantile(found.resampled, [0.025, 0.975])
    low, high = min(2 * estimate - highest, estimate), max(2 * estimate - lowest, estimate)
    return Interval(estimate, max(float(low), -1), min(float(high), 1))


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
    slope, half = float(line.slope), reach(float(line.stderr), len(known) - 1)  # two figures of a line
    return Interval(slope, slope - half, slope + half)


def strength_tables(results: StudyResults) -> dict[str, str]:
    """The verdicts of all agents on each gene, and whether stronger agents agree more with the strongest."""
    agents = rated(results)
    names = [f"{one.worths.agent} ({one.rating.estimate:+.0f})" for one in agents]
    gene_rows = []
    for gene, figures in genes_of(agents[-1].worths).items():
        verdicts = [verdict_of(genes_of(one.worths)[gene]) for one in agents]
        marks = "".join(MARKS[verdict] or "·" for verdict in verdicts)
        surplus = None if neutral_price_of(figures) is None else figures.surplus
        gene_rows.append([gene_title(gene), confidence_set(surplus, "+.1f"), marks, history(verdicts, names)])
    slope = value(trend(agents), "+.3f")
    return {
        "strength genes": table(["gene", "surplus", "verdicts", "what becomes of the strongest one's"], gene_rows),
        "strength trend": f"{slope} of rank correlation for {_UNIT} points of rating",
    }
