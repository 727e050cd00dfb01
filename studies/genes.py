"""Which genes are cheap and which are dear, at which prices they would not be, and what a search found fairer."""

from studies.pages import listed, table, title
from studies.results import Results, Worths
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID, Verdict
from ursuppe_lab.balance.figures.worth import GeneFigures, about_verdicts
from ursuppe_lab.reports.text import confidence_set, value
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


def is_currency(figures: GeneFigures) -> bool:
    """Does a neutral price mean anything?"""
    return figures.judgement is None or figures.judgement.is_currency


def neutral_price_of(figures: GeneFigures) -> Quotient | None:
    """The price at which buying it would change nothing; None where it was tried too rarely, or BP are no currency.

    It is measured by gifts, also of genes that can hardly ever be paid.
    """
    is_worth = figures.p_values.bp is not None and figures.p_values.bp < 0.5  # what one BP more does there
    is_known = figures.trials >= FEWEST_PAID and is_worth and is_currency(figures)
    return figures.neutral_price if is_known else None


def _neutral_price(figures: GeneFigures) -> str:
    return confidence_set(neutral_price_of(figures), ".1f") if is_currency(figures) else "BP are no currency"


def gene_tables(results: Results) -> dict[str, str]:
    """What buying every gene does in every setting, at which price it would do nothing, and what a BP is worth."""
    settings, leading = results.settings, results.leading[0]
    edition = [0, *(n for n, setting in enumerate(settings, start=1) if setting.edition == settings[0].edition)]
    by_setting = {worths.setting: genes_of(worths) for worths in results.leading}
    rows, price_rows = [], []
    for figures in leading.trials.genes:  # the best purchase first
        there = [by_setting[setting][figures.gene] for setting in settings]
        said = [f"{value(paid_of(one), '+.1f', 100)} {MARKS[verdict_of(one)]}".strip() for one in there]
        rows.append([title(figures.gene), *said])
        price_rows.append([title(figures.gene), str(figures.price), *map(_neutral_price, there)])
    bp_rows = [
        [worths.agent, *(value(figure, ".2f", 100) for figure in worths.trials.bp_by_round.values())]
        for worths in results.same_setting
    ]
    head = ["gene", *map(str, settings)]
    rounds = [f"round {number}" for number in leading.trials.bp_by_round]
    return {
        "genes paid": table(head, rows),
        "genes paid-in-edition": table([head[n] for n in edition], [[row[n] for n in edition] for row in rows]),
        "genes prices": table(["gene", "price", *map(str, settings)], price_rows),
        "genes bp": table(["agent", *rounds], bp_rows),
        "genes shown": about_verdicts([worths.trials for worths in results.worths]),
        "genes no-currency": listed(
            [
                f"{title(figures.gene)} under {worths.agent} with {worths.setting}"
                for worths in results.worths
                for figures in worths.trials.genes
                if not is_currency(figures)
            ]
        ),
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
