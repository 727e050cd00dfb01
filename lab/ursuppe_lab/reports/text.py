"""Figures with their intervals as people read them, in the terminal, in reports and on pages; and as JSON."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from ursuppe_lab.statistics import FEWEST_SEEDS, Interval

if TYPE_CHECKING:
    from ursuppe_lab.statistics.quotients import Quotient  # which needs SciPy: commands load this module without it

NONE = "–"
_ANY = "any"  # number: the games rule none out


def value(figure: Interval | None, form: str, factor: float = 1) -> str:
    """A figure with its interval, if it has one: ``8.41 (8.39 to 8.43)``, or ``8.41 (from 8.39 up)``."""
    if figure is None:
        return NONE
    estimate, interval = plain(factor * figure.estimate, form), ends(figure, form, factor)
    return f"{estimate} ({interval})" if interval else estimate


def ends(figure: Interval, form: str, factor: float = 1) -> str:
    """The interval alone: ``8.39 to 8.43`` or ``from 8.39 up``; nothing if there is none."""
    low = -math.inf if figure.low is None else factor * figure.low
    high = math.inf if figure.high is None else factor * figure.high
    return "" if figure.low is None and figure.high is None else _piece(low, high, form)


def confidence_set(figure: "Quotient | None", form: str) -> str:
    """A ratio with what is not ruled out: ``3.4 (1.4 to 6.6)``, ``3.4 (from 1.4 up)``, or ``any``."""
    if figure is None:
        return NONE
    said = [_piece(low, high, form) for low, high in figure.pieces]
    if said == [_ANY]:
        return _ANY
    inside = " or ".join(said)
    if figure.estimate is None:
        return inside or NONE
    estimate = plain(figure.estimate, form)
    return f"{estimate} ({inside})" if inside else estimate


def _piece(low: float, high: float, form: str) -> str:
    if math.isinf(low):
        return _ANY if math.isinf(high) else f"up to {plain(high, form)}"
    return f"from {plain(low, form)} up" if math.isinf(high) else f"{plain(low, form)} to {plain(high, form)}"


def percent(proportion: Interval | None) -> str:
    """A proportion with its interval, if it has one: ``27.1 % (26.5–27.7)``."""
    if proportion is None:
        return NONE
    estimate = f"{100 * proportion.estimate:.1f} %"
    low_high = [f"{100 * end:.1f}" for end in proportion.ends or ()]
    return f"{estimate} ({'–'.join(low_high)})" if low_high else estimate


def plain(number: float, form: str) -> str:
    """The number without a sign if it is rounded to 0."""
    text = f"{number:{form}}"
    return text if float(text) else text.lstrip("+-")


def printable(name: str) -> str:
    """The name in one line: what cannot be printed, such as the end of a line, as its escape."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name)


def lineup_name(lineup: Sequence[str]) -> str:
    """A lineup as people read it: ``greedy - 3 random``."""
    copies = {agent: lineup.count(agent) for agent in lineup}
    return printable(" - ".join(agent if count == 1 else f"{count} {agent}" for agent, count in copies.items()))


def about_intervals(seeds: Collection[int]) -> str:
    """Which figures, of these numbers of seeds, have intervals: ``95 % intervals``, or that there are too few seeds."""
    fewest = min(seeds)
    if fewest >= FEWEST_SEEDS:
        return "95 % intervals"
    few = f"{fewest} {'seed is' if fewest == 1 else 'seeds are'} too few, at least {FEWEST_SEEDS} are needed"
    return f"no intervals: {few}" if max(seeds) < FEWEST_SEEDS else f"95 % intervals, but not everywhere: {few}"


def as_json(value: Any) -> Any:
    """A figure, or what is made of figures, in the types of JSON.

    Dataclasses and named tuples are objects of their fields (unlike in Pydantic), unless they have an ``as_dict``. An
    infinite number, as an end of an interval, is null.
    """
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value
