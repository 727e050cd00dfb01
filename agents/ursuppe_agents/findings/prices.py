"""What a price does, and which prices would be fairer."""

from ursuppe_agents.balance.fairer import number_of
from ursuppe_agents.findings.editions import fairer
from ursuppe_agents.findings.results import Compared, Results, agent_name
from ursuppe_agents.findings.wording import listed, markdown_table, side, title
from ursuppe_agents.reports.text import percent, value
from ursuppe_agents.statistics import Interval
from ursuppe_env.rules.genes import GENE_NAMES

BOUGHT, OWNERS = "genes_bought", "wins_of_owners"
_PRICE = "price."


def swept(compared: Compared) -> dict[str, dict[int, int]]:
    """By gene whose price was varied: the variant that has each price, in ascending order."""
    study = compared.study
    base = study.ruleset(0).price
    found: dict[str, dict[int, int]] = {}
    for variant in range(1, len(study.variants)):
        prices = study.ruleset(variant).price
        [gene] = (id for id in range(len(prices)) if prices[id] != base[id])
        found.setdefault(GENE_NAMES[gene], {base[gene]: 0})[prices[gene]] = variant
    return {gene: dict(sorted(variants.items())) for gene, variants in found.items()}


def at_price(compared: Compared, lineup: int, variant: int, measure: str, gene: str) -> Interval | None:
    """A figure of a gene."""
    return compared.comparison.of(lineup, variant, measure)[gene].value


def prices_in_short(results: Results) -> list[str]:
    """Single prices from the lowest to the highest, and the search."""
    compared, game = results.prices, results.fairer
    of_genes = []
    for gene, variants in swept(compared).items():
        said = [
            f"{percent(at_price(compared, 0, variants[price], BOUGHT, gene))} at {price} BP"
            for price in _three(compared, gene)
        ]
        of_genes.append(f"{title(gene)} is bought by {listed(said)}")
    return [
        f"**What a price does.** Under {compared.agents[0]}: {'; '.join(of_genes)}.",
        f"**Other prices.** Those that a search found: "
        f"{fairer({_searched(results): (game.change, side(game.change))})}. The spread of the genes is "
        f"{value(game.before, '.2f', 100)} points as printed and {value(game.after, '.2f', 100)} with them.",
    ]


def prices_section(results: Results) -> str:
    """What a price does to how often a gene is bought, and to the wins of its owners."""
    compared = results.prices
    study = compared.study
    agents = compared.agents
    rows = []
    for gene in swept(compared):
        for price in _three(compared, gene):
            variant = swept(compared)[gene][price]
            figures = [
                percent(at_price(compared, lineup, variant, measure, gene))
                for lineup in range(len(agents))
                for measure in (BOUGHT, OWNERS)
            ]
            printed = " (printed)" if variant == 0 else ""
            rows.append([title(gene), f"{price}{printed}", *figures])
    heading = [f"{what}, {agent}" for agent in agents for what in ("bought", "owners win")]
    return f"""## What a price does

The share of players who ever buy the gene, and how often those win, at the lowest price, the printed one and the
highest; {study.ruleset(0).players} players, edition {study.ruleset(0).edition}, {compared.games_at(0, 0):,} games with
each price and lineup. That owners win says little about the gene: those who can afford much are ahead already.

{markdown_table(["gene", "BP", *heading], rows)}"""


def fairer_section(results: Results) -> str:
    """The prices that the search found, and how fair they are on fresh dice."""
    game = results.fairer
    search = game.search
    moved = {
        title(field.removeprefix(_PRICE)): (number_of(search.beginning, field), found)
        for field, found in game.best.values.items()
    }
    dearer, cheaper = (
        listed([f"{gene} {old} → {new}" for gene, (old, new) in moved.items() if (new - old) * way > 0])
        for way in (1, -1)
    )
    same = listed([gene for gene, (old, new) in moved.items() if old == new])
    return f"""## Fairer prices

A [search](balance-lab.md#a-fairer-game) for the least spread of the genes under {_searched(results)},
{search.beginning.players} players, edition {search.beginning.edition}: {search.candidates} candidates of
{search.trials.num_games:,} games of each lineup, then {search.check_games:,} of each lineup on fresh dice with the
prices as printed and with those that were found.

| | spread of the genes, points |
| --- | ---: |
| as printed | {value(game.before, ".2f", 100)} |
| found | {value(game.after, ".2f", 100)} |
| change | {value(game.change, "+.2f", 100)} |

- Dearer: {dearer}.
- Cheaper: {cheaper}.
- As printed: {same}."""


def _searched(results: Results) -> str:
    """Under whom the search was made."""
    return listed([agent_name(seated) for seated in results.fairer.search.trials.lineups])


def _three(compared: Compared, gene: str) -> list[int]:
    """The lowest price, the printed one and the highest."""
    prices = list(swept(compared)[gene])
    return sorted({prices[0], compared.study.ruleset(0).price[GENE_NAMES.index(gene)], prices[-1]})
