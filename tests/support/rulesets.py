"""Hypothesis strategies: any valid ruleset (the limits are those of records.md)."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import NUMBERS, PER_GENE, SWITCHES

DIRECTIONS = ["west", "north", "east", "south", "none"]
#: Fields whose limits depend on other fields, or are lists.
DEPENDENT = ("amoebas", "amoeba_places", "cubes", "start_food", "gene_places", "environment")
SEEDS = st.integers(0, 2**64 - 1)


def examples(number: int) -> settings:
    """The same examples in every run, as many as that, however slow the machine."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=number, deadline=None, derandomize=True, database=None, suppress_health_check=slow)


def number(low: int, high: int, usual: int) -> st.SearchStrategy[int]:
    """Mostly up to what is usual, sometimes anything, often an end of the range."""
    usual = min(usual, high)
    return st.one_of(st.integers(low, usual), st.integers(low, high), st.sampled_from([low, usual, high]))


def changed_number(name: str) -> st.SearchStrategy[Any]:
    """A number within its limits, mostly no more than twice the printed one and 2, or one for some genes."""
    low, high = NUMBERS[name]["low"], NUMBERS[name]["high"]
    printed = getattr(Ruleset(), name)
    if name in PER_GENE:
        return by_gene(low, high, max(printed) + 4)
    return number(low, high, 2 * printed + 2)


def by_gene(low: int, high: int, usual: int) -> st.SearchStrategy[dict[str, int]]:
    """Numbers for some genes, or one for all."""
    some = st.dictionaries(st.sampled_from(GENE_NAMES), number(low, high, usual), max_size=8)
    every = number(low, high, usual).map(lambda value: dict.fromkeys(GENE_NAMES, value))
    return st.one_of(some, some, every)


def cards(most: int) -> st.SearchStrategy[list[tuple[str, int]]]:
    """Environment cards."""
    card = st.tuples(st.sampled_from(DIRECTIONS), number(0, 99, 14))
    return st.lists(card, min_size=2, max_size=most)


def switches() -> st.SearchStrategy[dict[str, bool]]:
    """Those of the edition, all of them on or off, or any mixture."""
    mixture = st.fixed_dictionaries({}, optional=dict.fromkeys(SWITCHES, st.booleans()))
    alike = st.sampled_from([{}, dict.fromkeys(SWITCHES, True), dict.fromkeys(SWITCHES, False)])
    return st.one_of(mixture, mixture, alike)


@st.composite
def rulesets(draw: st.DrawFn, most_cards: int = 12) -> Ruleset:
    """A valid ruleset in which about half of the numbers and switches are changed; players and edition are any."""
    fields = {name: changed_number(name) for name in NUMBERS if name not in DEPENDENT}
    fields["gene_places"] = st.lists(number(0, 99, 6), min_size=1, max_size=40)
    fields["environment"] = cards(most_cards)
    changes = {name: draw(values) for name, values in fields.items() if draw(st.booleans())}
    if draw(st.booleans()):
        changes["start_food"] = draw(st.integers(0, 6))
    changes["cubes"] = draw(
        number(19 * changes.get("start_food", 2), 120, 60 if changes.get("start_food", 2) < 3 else 120)
    )
    if draw(st.booleans()):
        changes["amoebas"] = draw(st.integers(2, 7))
        places = st.lists(number(0, 99, 6), min_size=changes["amoebas"] + 1, max_size=changes["amoebas"] + 1)
        changes["amoeba_places"] = draw(places)
    changes |= draw(switches())
    return Ruleset(players=draw(st.integers(3, 6)), edition=draw(st.sampled_from(["1998", "1997"])), **changes)
