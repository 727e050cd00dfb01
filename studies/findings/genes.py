"""Which genes are cheap and which are dear: what buying them does, and at which price it would do nothing."""

from collections.abc import Sequence

from studies.findings.results import Results, Setting, Worths
from studies.findings.wording import listed, markdown_table, title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.verdicts import FEWEST_PAID, Verdict
from ursuppe_lab.balance.worth import GeneFigures, about_verdicts
from ursuppe_lab.reports.text import NONE, confidence_set, value
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient

#: Of a verdict, behind a figure.
MARKS = {Verdict.CHEAP: "▲", Verdict.OPEN: "", Verdict.DEAR: "▼"}
OPPOSITE = {Verdict.CHEAP: Verdict.DEAR, Verdict.DEAR: Verdict.CHEAP}


#: What the figures of this page do not answer, and who has measured some of it.
NO_ADVICE = """The verdicts *cheap* and *dear* on this page are about purchases at a **random** moment that the player
did not choose. They do not say which genes to buy. In 1,600 games of the policy for 4 players (file 154cd158eae8f56e),
purchases that it made of its own accord gained 5.4 ± 1.3 more wins in 100 games each; purchases forced on it at random
lost 7.3 ± 1.4. Which genes to buy when is not measured yet."""


def genes_in_short(results: Results) -> list[str]:
    """How many verdicts there are, and which of them depend on the setting."""
    torn = [
        title(gene)
        for gene in GENE_NAMES
        if {Verdict.CHEAP, Verdict.DEAR} <= {_verdict(results, setting, gene) for setting in results.settings}
    ]
    agent = results.leading[0].agent
    return [
        f"**Prices of genes.** Bought at a random moment under {agent}, "
        f"{about_verdicts([worths.trials for worths in results.leading])}. Cheap in one setting and dear in another: "
        f"{listed(torn)}."
    ]


def genes_section(results: Results) -> str:
    """What buying every gene does, in every setting, and at which price it would do nothing."""
    settings, leading = results.settings, results.leading[0]
    by_setting = {worths.setting: genes_of(worths) for worths in results.leading}
    prices = {figures.gene: figures.price for figures in leading.trials.genes}
    rows, price_rows = [], []
    for gene in prices:  # the best purchase first
        there = [by_setting[setting][gene] for setting in settings]
        said = [f"{value(paid_of(figures), '+.1f', 100)} {MARKS[verdict_of(figures)]}".strip() for figures in there]
        rows.append([title(gene), *said])
        price_rows.append([title(gene), str(prices[gene]), *map(_neutral_price, there)])
    same = results.same_setting
    bp_rows = [
        [worths.agent, *(value(figure, ".2f", 100) for figure in worths.trials.bp_by_round.values())] for worths in same
    ]
    rounds = [f"round {number}" for number in leading.trials.bp_by_round]
    return f"""## Prices of genes

What buying a gene at a random moment does to the chance of winning, in points, against never having it: above 0 it is
cheap (▲), below it is dear (▼). That is no advice on buying: the agent would have made few of these purchases. Those
that it makes of its own accord gain 5.4 ± 1.3 points each; Aggression, Life Expectancy, Struggle for Survival, Escape
and Intelligence are shown to (1,600 games of policy 154cd158eae8f56e, 4 players, 1998; forced ones lose 7.3 ± 1.4).
[Trials](balance-lab.md#what-a-gene-is-worth) measure it in the games where it could be paid,
{leading.trials.games:,} games in each setting, of {leading.agent} in all seats. On this page, with all agents,
{about_verdicts([worths.trials for worths in results.worths])}: of all these verdicts one in twenty is wrong, on
average, at most.

{markdown_table(["gene", *map(str, settings)], rows)}

{NONE}: could be paid in fewer than {FEWEST_PAID} games. {_no_currency(results.worths)}

The *neutral price* is the one at which buying the gene would change nothing: what it does as a gift, divided by what
one BP more does in the same games. In BP, with the prices that the games do not rule out; {NONE}: the gene could be had
in fewer than {FEWEST_PAID} games.

{markdown_table(["gene", "price", *map(str, settings)], price_rows)}

These are means over rounds, and a BP is worth less from round to round. One BP more, in points, with {settings[0]}, to
the agents of [a later section](#verdicts-against-strength):

{markdown_table(["agent", *rounds], bp_rows)}"""


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


def _no_currency(found: Sequence[Worths]) -> str:
    """Where a neutral price would mean nothing."""
    where = [
        f"{title(figures.gene)} under {worths.agent} with {worths.setting}"
        for worths in found
        for figures in worths.trials.genes
        if not is_currency(figures)
    ]
    said = f"BP are [no currency](balance-lab.md#where-bp-are-no-currency) for {listed(where)}."
    return said if where else "Nowhere do the games contradict that who has more BP wins more."


def _verdict(results: Results, setting: Setting, gene: str) -> Verdict:
    """What the leading agent's games say of a gene in a setting."""
    [there] = [worths for worths in results.leading if worths.setting == setting]
    return verdict_of(genes_of(there)[gene])
