"""Tables in the terminal: of figures with their intervals, and of as many columns as there is room for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table

from ursuppe_lab.reports.text import confidence_set, value
from ursuppe_lab.statistics import Interval

if TYPE_CHECKING:
    from ursuppe_lab.statistics.quotients import Quotient

_BOUNDLESS = 1000  # characters: what is measured so is not yet squeezed into the terminal


def table_that_fits(console: Console, columns: Mapping[str, list[str]], least: int) -> tuple[Table, list[str]]:
    """A table of as many columns as the console has room for, none of them cut off, and the headings of the others.

    Columns are the cells of each, by heading; the first ones matter most, and the least number is shown in any case.
    """
    headings = list(columns)
    for shown in range(len(headings), least - 1, -1):
        first, *others = headings[:shown]
        right = (Column(heading, justify="right", overflow="fold") for heading in others)
        table = Table(Column(first, overflow="fold"), *right)
        for cells in zip(*(columns[heading] for heading in headings[:shown]), strict=True):
            table.add_row(*cells)
        if Measurement.get(console, console.options.update(width=_BOUNDLESS), table).maximum <= console.width:
            break
    return table, [heading.replace("\n", " ") for heading in headings[shown:]]


def stacked(figure: "Interval | Quotient | None", form: str, factor: float = 1) -> str:
    """The figure above its interval, or what is not ruled out, which takes less room than beside it."""
    if figure is None or isinstance(figure, Interval):
        said = value(figure, form, factor)
    else:
        said = confidence_set(figure, form)
    return said.replace(" (", "\n").replace(" or ", "\nor ").removesuffix(")")
