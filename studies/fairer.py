"""Which prices would be fairer: what a search under fixed agents found."""

from studies.pages import listed, table, title
from studies.results import Results
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.reports.text import value

_PRICE = "price."


def fairer_tables(results: Results) -> dict[str, str]:
    """The prices that the search found, and how fair they are on fresh dice."""
    game = results.fairer
    moved = {
        title(field.removeprefix(_PRICE)): (number_of(game.search.beginning, field), found)
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
