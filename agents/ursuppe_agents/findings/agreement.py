"""How far the answer depends on the agents: do genes have the same rank under each?"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import rankdata  # type: ignore[import-untyped]

from ursuppe_agents.balance.spread import Gains
from ursuppe_agents.balance.verdicts import Verdict
from ursuppe_agents.findings.genes import genes_of, verdict_of
from ursuppe_agents.findings.results import Results, Worths
from ursuppe_agents.findings.wording import listed, markdown_table, title
from ursuppe_agents.reports.text import NONE, value
from ursuppe_agents.statistics import Interval
from ursuppe_env.rules.genes import GENE_NAMES

_FEWEST_GENES = 3  # that can have ranks to speak of


def same_setting(results: Results) -> list[Worths]:
    """The worths under all agents, in the setting that all studies have."""
    return [found for found in results.worths if found.setting == results.settings[0]]


def rank_correlation(one: Gains, other: Gains, genes: Sequence[str]) -> Interval:
    """Spearman's correlation of what buying these genes does, at least 3.

    Chance lowers a correlation, and that of resamples twice. So the interval is reflected: as far as resamples lie
    below the figure, so far the truth may lie above it.
    """
    ranks = []
    for found in (one, other):
        ratios = [found.paid[gene] for gene in genes]
        values = np.stack([np.append(ratio.estimate, ratio.resampled) for ratio in ratios], axis=1)
        ranked = rankdata(values, axis=1) - (len(genes) + 1) / 2
        length = np.linalg.norm(ranked, axis=1, keepdims=True)
        ranks.append(ranked / np.where(length == 0, 1, length))  # what is all the same goes with nothing
    correlations = (ranks[0] * ranks[1]).sum(axis=1)
    estimate = float(correlations[0])
    lowest, highest = np.quantile(correlations[1:], [0.025, 0.975])
    low, high = min(2 * estimate - highest, estimate), max(2 * estimate - lowest, estimate)
    return Interval(estimate, max(float(low), -1.0), min(float(high), 1.0))


def judged_alike(one: Worths, other: Worths) -> tuple[int, int]:
    """Genes that are cheap or dear under both, and how many of them are the same under both."""
    of_one, of_other = genes_of(one), genes_of(other)
    pairs = [(verdict_of(of_one[gene]), verdict_of(of_other[gene])) for gene in GENE_NAMES]
    both = [pair for pair in pairs if Verdict.OPEN not in pair]
    return len(both), sum(first == second for first, second in both)


def agreement_in_short(results: Results) -> list[str]:
    """The range of the correlations, and how many verdicts are the same."""
    pairs = list(combinations(same_setting(results), 2))
    known = {(one.agent, other.agent): found for one, other in pairs if (found := _correlation(one, other)) is not None}
    both, alike = map(sum, zip(*(judged_alike(one, other) for one, other in pairs), strict=True))
    if not known:
        return ["**How far that depends on the agents.** There were too few games to say."]
    by_correlation = sorted(known, key=lambda pair: known[pair].estimate)
    said = [
        f"{word} between {listed(pair)}, {value(known[pair], '+.2f')}"
        for word, pair in (("highest", by_correlation[-1]), ("lowest", by_correlation[0]))
    ]
    return [
        f"**How far that depends on the agents.** The rank correlation of the genes is {listed(said)}. Of {both} "
        f"verdicts that two agents both give, {alike} are the same."
    ]


def agreement_section(results: Results) -> str:
    """Each pair of agents."""
    found = same_setting(results)
    rows = []
    for one, other in combinations(found, 2):
        both, alike = judged_alike(one, other)
        rows.append([one.agent, other.agent, value(_correlation(one, other), "+.2f"), f"{alike} of {both}"])
    verdicts = [
        [worths.agent, *_verdicts(worths), f"{worths.trials.games:,}", value(worths.trials.bp, ".2f", 100)]
        for worths in found
    ]
    return f"""## How far it depends on the agents

What is cheap and what is dear with {results.settings[0]}, by the agent in all seats; means over the rounds of its study
(below). {NONE}: too few games to say.

{markdown_table(["agent", "cheap", "dear", "games", "1 BP, points"], verdicts, texts=3)}

Two agents compared: the rank correlation of what buying the genes does; and of the genes that both judge, how many they
judge alike. Few games lower a correlation; the intervals make up for that.

{markdown_table(["", "and", "rank correlation", "judged alike"], rows, texts=2)}"""


def _verdicts(found: Worths) -> list[str]:
    """What is cheap, and what is dear."""
    if found.gains is None:
        return [NONE, NONE]
    of_genes = {title(figures.gene): verdict_of(figures) for figures in found.trials.genes}
    return [
        listed([gene for gene, verdict in of_genes.items() if verdict == said])
        for said in (Verdict.CHEAP, Verdict.DEAR)
    ]


def _correlation(one: Worths, other: Worths) -> Interval | None:
    if one.gains is None or other.gains is None:
        return None
    genes = [gene for gene in GENE_NAMES if gene in one.gains.paid and gene in other.gains.paid]
    return rank_correlation(one.gains, other.gains, genes) if len(genes) >= _FEWEST_GENES else None
