"""The two printings of the gene sheet and the decks (rules.md sections 4 and 5, R2 and R6)."""

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import SWITCHES

EDITIONS = ["1998", "1997"]


def of(ruleset: Ruleset, field: str, *genes: str) -> list[int]:
    return [getattr(ruleset, field)[GENE_NAMES.index(gene)] for gene in genes]


@pytest.mark.parametrize(
    ("edition", "mutation_points"),
    [
        ("1998", [3, 2, 3, 3, 4, 4, 4, -2, 4, 4, 4, 5, 5, 4, 5, 5, 4, 5, 5, 6]),
        ("1997", [3, 2, 3, 3, 3, 4, 4, -2, 4, 4, 4, 5, 5, 4, 5, 6, 4, 5, 6, 5]),
    ],
)
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_mutation_points_r6(players: int, edition: str, mutation_points: list[int]) -> None:
    assert list(Ruleset(players=players, edition=edition).mutation_points) == mutation_points


@pytest.mark.parametrize(
    ("players", "edition", "cards"),
    [
        (3, "1998", [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 0, 1, 1, 1, 1, 1]),
        (3, "1997", [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2, 0, 1, 1, 1, 1, 1]),
        (4, "1998", [2, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1]),
        (4, "1997", [2, 2, 1, 2, 1, 2, 2, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 1]),
        (5, "1998", [3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 3, 2, 2, 1, 2, 1, 1]),
        (6, "1998", [3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 3, 2, 2, 1, 2, 1, 1]),
        (5, "1997", [3, 3, 2, 2, 2, 2, 3, 2, 2, 2, 1, 2, 2, 3, 2, 2, 1, 2, 1, 1]),
        (6, "1997", [3, 3, 2, 2, 2, 2, 3, 2, 2, 2, 1, 2, 2, 3, 2, 2, 1, 2, 1, 1]),
    ],
)
def test_the_decks_r2(players: int, edition: str, cards: list[int]) -> None:
    # Intelligence, Movement I, Spores, ... in the order of the gene ids
    assert list(Ruleset(players=players, edition=edition).cards) == cards


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_everything_else_is_the_same_in_both_editions_r6(players: int) -> None:
    later, first = (Ruleset(players=players, edition=edition) for edition in EDITIONS)
    assert {name: (getattr(later, name), getattr(first, name)) for name in SWITCHES} == {
        "even_substitution": (False, True),
        "early_clinging": (False, True),
        "own_clinging": (False, True),
        "clinging_carries": (False, True),
        "paired_answers_once": (False, True),
        "free_stay": (True, False),
        "same_victim": (True, False),
        "hungry_aggressor": (False, True),
    }
    names = set(Ruleset.__dataclass_fields__) - {"edition", "mutation_points", "cards", *SWITCHES}
    assert {name for name in names if getattr(later, name) != getattr(first, name)} == set()
    assert {
        gene
        for gene, old, new in zip(GENE_NAMES, first.mutation_points, later.mutation_points, strict=True)
        if old != new
    } == {"defense", "division_rate", "aggression", "armour"}


@pytest.mark.parametrize(
    ("gene", "price", "score"),
    [
        *(("intelligence", 2, 1), ("movement_1", 3, 1), ("spores", 3, 1), ("speed", 4, 1), ("defense", 4, 1)),
        *(("escape", 4, 1), ("substitution", 4, 1), ("ray_protection", 5, 0), ("streamlining", 5, 1)),
        *(("tentacle", 5, 1), ("holding", 5, 1), ("life_expectancy", 5, 1), ("frugality", 6, 1)),
        *(("struggle_for_survival", 6, 1), ("parasitism", 6, 1), ("division_rate", 6, 1)),
        *(("endurance", 4, 2), ("movement_2", 5, 2), ("aggression", 5, 2), ("armour", 6, 2)),
    ],
)
def test_prices_and_scores_of_the_genes(gene: str, price: int, score: int) -> None:
    for players in (3, 4, 5, 6):
        for edition in EDITIONS:
            ruleset = Ruleset(players=players, edition=edition)
            assert of(ruleset, "price", gene) + of(ruleset, "gene_score", gene) == [price, score]
