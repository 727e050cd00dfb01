"""Which genes are cheap and which are dear: what buying them does, and at which price it would do nothing."""

from collections.abc import Sequence

from ursuppe_agents.balance.verdicts import FEWEST_PAID, Verdict
from ursuppe_agents.balance.worth import GeneFigures, about_verdicts
from ursuppe_agents.findings.results import Results, Worths
from ursuppe_agents.findings.wording import listed, markdown_table, title
from ursuppe_agents.reports.text import NONE, confidence_set, value
from ursuppe_agents.statistics import Interval
from ursuppe_env.rules.genes import GENE_NAMES

_MARKS = {Verdict.CHEAP: "▲", Verdict.OPEN: "", Verdict.DEAR: "▼"}
_OPPOSITE = {Verdict.CHEAP: Verdict.DEAR, Verdict.DEAR: Verdict.CHEAP}


def genes_in_short(results: Results) -> list[str]:
    """What most agents say and none denies, in each setting."""
    found = results.leading
    sentences = []
    for setting in results.settings:
        there = [worths for worths in found if worths.setting == setting]
        cheap, dear = (
            listed([title(gene) for gene in GENE_NAMES if _are_mostly(verdict, _verdicts(there, gene))])
            for verdict in (Verdict.CHEAP, Verdict.DEAR)
        )
        sentences.append(
            f"**Genes with {setting}.** Cheap under most of {listed(_agents(found))} and dear under none: {cheap}. "
            f"Dear under most and cheap under none: {dear}."
        )
    return sentences


def genes_section(results: Results) -> str:
    """What buying every gene does, in every setting, and at which price it would do nothing."""
    found, settings = results.leading, results.settings
    agents = _agents(found)
    by_place = {(worths.setting, worths.agent): genes_of(worths) for worths in found}
    leading = [worths for worths in found if worths.agent == agents[0]]
    prices = {figures.gene: figures.price for figures in leading[0].trials.genes}
    rows, price_rows = [], []
    for gene in prices:  # the best purchase first
        cells = []
        for setting in settings:
            marks = "".join(_MARKS[verdict_of(by_place[setting, agent][gene])] for agent in agents)
            cells.append(f"{value(paid_of(by_place[setting, agents[0]][gene]), '+.1f', 100)} {marks}".strip())
        rows.append([title(gene), *cells])
        neutral = [_neutral_price(by_place[setting, agents[0]][gene]) for setting in settings]
        price_rows.append([title(gene), str(prices[gene]), *neutral])
    torn = [title(gene) for gene in GENE_NAMES if {Verdict.CHEAP, Verdict.DEAR} <= set(_verdicts(found, gene))]
    here = [worths for worths in found if worths.setting == settings[0]]
    rounds = list(here[0].trials.bp_by_round)
    bp_rows = [
        [worths.agent, *(value(figure, ".2f", 100) for figure in worths.trials.bp_by_round.values())] for worths in here
    ]
    return f"""## Prices of genes

What buying a gene does to the chance of winning, in points, against never having it: above 0 it is cheap, below it is
dear. [Trials](balance-lab.md#what-a-gene-is-worth) measure it in the games where it could be paid,
{found[0].trials.games:,} games in each setting under each agent. The figures are those of {agents[0]}. One ▲ stands for
each of {listed(agents)} under whom the gene is cheap, one ▼ for each under whom it is dear. On this page
{about_verdicts([worths.trials for worths in results.worths])}: of all these marks one in twenty is wrong, on average,
at most.

{markdown_table(["gene", *map(str, settings)], rows)}

{NONE}: could be paid in fewer than {FEWEST_PAID} games. Cheap in one place and dear in another, by agent or setting:
{listed(torn)}. {_no_currency(results)}

The *neutral price* is the one at which buying the gene would change nothing: what it does as a gift, divided by what
one BP more does in the same games. Under {agents[0]}, in BP, with the prices that the games do not rule out:

{markdown_table(["gene", "price", *map(str, settings)], price_rows)}

These are means over rounds, and a BP is worth less from round to round. One BP more, in points, with {settings[0]}:

{markdown_table(["agent", *(f"round {number}" for number in rounds)], bp_rows)}"""


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


def _neutral_price(figures: GeneFigures) -> str:
    if paid_of(figures) is None:
        return NONE
    return confidence_set(figures.neutral_price, ".1f") if is_currency(figures) else "BP are no currency"


def _no_currency(results: Results) -> str:
    """Where a neutral price would mean nothing."""
    where = [
        f"{title(figures.gene)} under {worths.agent} with {worths.setting}"
        for worths in results.worths
        for figures in worths.trials.genes
        if not is_currency(figures)
    ]
    said = f"BP are [no currency](balance-lab.md#where-bp-are-no-currency) for {listed(where)}."
    return said if where else "Nowhere do the games contradict that who has more BP wins more."


def _agents(found: Sequence[Worths]) -> list[str]:
    return list(dict.fromkeys(worths.agent for worths in found))


def _verdicts(found: Sequence[Worths], gene: str) -> list[Verdict]:
    """What each says of a gene."""
    return [verdict_of(genes_of(worths)[gene]) for worths in found]


def _are_mostly(verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
    """Do more than half of them say so, and none the contrary?"""
    return 2 * verdicts.count(verdict) > len(verdicts) and _OPPOSITE[verdict] not in verdicts
