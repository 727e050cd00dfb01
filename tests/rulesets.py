"""Hypothesis strategies: any valid ruleset (the limits are those of records.md)."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES

DIRECTIONS = ["west", "north", "east", "south", "none"]
SEEDS = st.integers(0, 2**64 - 1)


def examples(number: int) -> settings:
    """The same examples in every run, as many as that, however slow the machine."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=number, deadline=None, derandomize=True, database=None, suppress_health_check=slow)


def number(low: int, high: int, usual: int) -> st.SearchStrategy[int]:
    """Mostly up to what is usual, sometimes anything, often an end of the range."""
    usual = min(usual, high)
    return st.one_of(st.integers(low, usual), st.integers(low, high), st.sampled_from([low, usual, high]))


def by_gene(low: int, high: int, usual: int) -> st.SearchStrategy[dict[str, int]]:
    """Numbers for some genes, or one for all."""
    some = st.dictionaries(st.sampled_from(GENE_NAMES), number(low, high, usual), max_size=8)
    every = number(low, high, usual).map(lambda value: dict.fromkeys(GENE_NAMES, value))
    return st.one_of(some, some, every)


def cards(most: int) -> st.SearchStrategy[list[tuple[str, int]]]:
    """Environment cards."""
    card = st.tuples(st.sampled_from(DIRECTIONS), number(0, 99, 14))
    return st.lists(card, min_size=2, max_size=most)


@st.composite
def rulesets(draw: st.DrawFn, most_cards: int = 12) -> Ruleset:
    """A valid ruleset in which about half of the numbers are changed; players and edition are any."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "start_bp": number(0, 99, 60),
        "first_damage": number(0, 99, 3),
        "excretion": number(0, 99, 4),
        "carry": number(0, 9, 4),
        "income": number(0, 99, 40),
        "move_cost": number(0, 99, 2),
        "attack_cost": number(0, 99, 2),
        "defense_cost": number(0, 99, 2),
        "tap_cost": number(0, 99, 2),
        "division_cost": number(0, 99, 8),
        "fast_division_cost": number(0, 99, 6),
        "deadly_damage": number(1, 99, 3),
        "long_life_damage": number(1, 99, 4),
        "death_food": number(0, 99, 3),
        "kill_food": number(0, 99, 3),
        "ray_protection_payment": number(0, 99, 6),
        "gene_places": st.lists(number(0, 99, 6), min_size=1, max_size=40),
        "end_zone": number(2, 250, 80),
        "environment": cards(most_cards),
        "price": by_gene(0, 99, 8),
        "mutation_points": by_gene(-9, 99, 8),
        "cards": by_gene(0, 99, 6),
        "gene_score": by_gene(0, 99, 3),
    }
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
    return Ruleset(players=draw(st.integers(3, 6)), edition=draw(st.sampled_from(["1998", "1997"])), **changes)
