"""Which genes are cheap and which are dear: the interval of the surplus, worth minus price, is above 0 or below it."""

from collections.abc import Sequence

from ursuppe_agents.findings.results import Results, Worths
from ursuppe_agents.findings.wording import Side, listed, markdown_table, side, title
from ursuppe_agents.reports.text import NONE, value
from ursuppe_agents.statistics import Interval
from ursuppe_env.rules.genes import GENE_NAMES

FEWEST_TRIALS = 100
_MARKS = {Side.ABOVE: "▲", Side.AROUND: "", Side.BELOW: "▼"}


def genes_in_short(results: Results) -> list[str]:
    """What most agents say and none denies, in each setting."""
    found = results.leading
    sentences = []
    for setting in results.settings:
        there = [worths for worths in found if worths.setting == setting]
        cheap, dear = (
            listed([title(gene) for gene in GENE_NAMES if _are_mostly(where, _sides(there, gene))])
            for where in (Side.ABOVE, Side.BELOW)
        )
        sentences.append(
            f"**Genes with {setting}.** Cheap under most of {listed(_agents(found))} and dear under none: {cheap}. "
            f"Dear under most and cheap under none: {dear}."
        )
    return sentences


def genes_section(results: Results) -> str:
    """The surplus of every gene in every setting."""
    found, settings = results.leading, results.settings
    agents = _agents(found)
    by_place = {(worths.setting, worths.agent): worths for worths in found}
    leading = [by_place[setting, agents[0]] for setting in settings]
    prices = {figures.gene: figures.price for figures in leading[0].trials.genes}
    rows = []
    for gene in prices:  # the largest surplus first
        cells = []
        for worths in leading:
            marks = "".join(_MARKS[side(surpluses_of(by_place[worths.setting, agent])[gene])] for agent in agents)
            cells.append(f"{value(surpluses_of(worths)[gene], '+.1f')} {marks}".strip())
        rows.append([title(gene), str(prices[gene]), *cells])
    rows.append(["1 BP, points", "", *(value(worths.trials.bp, ".2f", 100) for worths in leading)])
    torn = [title(gene) for gene in GENE_NAMES if {Side.ABOVE, Side.BELOW} <= set(_sides(found, gene))]
    return f"""## Prices of genes

The surplus of a gene is what it is worth to a player minus what it costs, in BP: above 0 it is cheap, below it is dear.
[Trials](balance-lab.md#what-a-gene-is-worth) measure it, {found[0].trials.games:,} games in each setting under each
agent. The figures are those of {agents[0]}. One ▲ stands for each of {listed(agents)} under whom the gene is cheap,
one ▼ for each under whom it is dear: the interval does not contain 0. Of 20 genes that cost just what they are worth,
chance alone would mark one under each agent.

{markdown_table(["gene", "price", *map(str, settings)], rows)}

{NONE}: tried in fewer than {FEWEST_TRIALS} games, or too few to say what a BP is worth; the last line is what one BP
more does to the chance of winning. Cheap in one place and dear in another, by agent or setting: {listed(torn)}."""


def surpluses_of(found: Worths) -> dict[str, Interval | None]:
    """By gene, over all rounds; None where it was tried too rarely.

    An interval that resamples a handful of trials, of which none changed anything, would have no width.
    """
    return {
        figures.gene: figures.surplus if figures.trials >= FEWEST_TRIALS else None for figures in found.trials.genes
    }


def _agents(found: Sequence[Worths]) -> list[str]:
    return list(dict.fromkeys(worths.agent for worths in found))


def _sides(found: Sequence[Worths], gene: str) -> list[Side]:
    """What each says of a gene's surplus."""
    return [side(surpluses_of(worths)[gene]) for worths in found]


def _are_mostly(where: Side, sides: Sequence[Side]) -> bool:
    """Are more than half of them there, and none on the other side?"""
    return 2 * sides.count(where) > len(sides) and -where not in sides
