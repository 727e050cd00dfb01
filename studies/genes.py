"""Which genes are cheap and which are dear, at which prices they would not be, and what a search found fairer."""

from studies.pages import listed, table, title
from studies.results import Results, Worths
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, Verdict
from ursuppe_lab.balance.figures.worth import GeneFigures, about_verdicts
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient

#: Of a verdict, behind a figure.
MARKS = {Verdict.CHEAP: "▲", Verdict.OPEN: "", Verdict.DEAR: "▼"}
OPPOSITE = {Verdict.CHEAP: Verdict.DEAR, Verdict.DEAR: Verdict.CHEAP}


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
    is_currency = figures.judgement is None or figures.judgement.is_currency
    return figures.neutral_price if figures.trials >= FEWEST_PAID and is_worth and is_currency else None


def gene_tables(results: Results) -> dict[str, str]:
    """What buying every gene does, in every setting and in those of the first one's edition."""
    settings = results.settings
    edition = [0, *(n for n, setting in enumerate(settings, start=1) if setting.edition == settings[0].edition)]
    by_setting = {worths.setting: genes_of(worths) for worths in results.leading}
    rows = []
    for gene in genes_of(results.leading[0]):  # the best purchase first
        there = [by_setting[setting][gene] for setting in settings]
        said = [f"{value(paid_of(one), '+.1f', 100)} {MARKS[verdict_of(one)]}".strip() for one in there]
        rows.append([title(gene), *said])
    head = ["gene", *map(str, settings)]
    return {
        "genes paid": table(head, rows),
        "genes paid-in-edition": table([head[n] for n in edition], [[row[n] for n in edition] for row in rows]),
        "genes shown": about_verdicts([worths.trials for worths in results.worths]),
    }


def fairer_tables(results: Results) -> dict[str, str]:
    """The prices that a search under fixed agents found, and how fair they are on fresh dice."""
    game = results.fairer
    moved = {
        title(field.removeprefix("price.")): (number_of(game.search.beginning, field), found)
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
