"""Which prices would be fairer: what a search under fixed agents found."""

from studies.findings.editions import fairer
from studies.findings.results import Results, agent_name
from studies.findings.wording import listed, side, title
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.reports.text import value

_PRICE = "price."


def fairer_in_short(results: Results) -> list[str]:
    """What the search came to."""
    game = results.fairer
    return [
        f"**Other prices.** Those that a search found: "
        f"{fairer({_searched(results): (game.change, side(game.change))})}. The spread of the genes is "
        f"{value(game.before, '.2f', 100)} points as printed and {value(game.after, '.2f', 100)} with them.",
    ]


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
