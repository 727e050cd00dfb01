"""Phase 1b: meals and hunger (rules.md section 7)."""

from itertools import product

import pytest

from support.positions import Position, in_both_editions, position

# ---- the basic meal


def at_feeding(board: str = "13: 0.1", **options: object) -> Position:
    """Player 0's amoeba 1 stands in space 13 and has just drifted nowhere."""
    game = position(board, **options)
    game.act("drift")
    return game


@pytest.mark.parametrize(
    ("food", "left"),
    [
        ((0, 2, 1), (2, 0, 0)),  # 3 players: 2 of one foreign colour, 1 of the other
        ((0, 1, 2), (2, 0, 0)),
        ((0, 1, 1, 1), (2, 0, 0, 0)),  # 4: 1 of each foreign colour
        ((3, 4, 1, 2), (5, 3, 0, 1)),
        ((0, 1, 1, 1, 1), (2, 0, 0, 0, 0)),  # 5: 1 of each foreign colour
        ((0, 1, 1, 0, 1, 1), (2, 0, 0, 0, 0, 0)),  # 6: 4 cubes of 4 different foreign colours
    ],
)
def test_the_basic_meal_is_eaten_and_2_own_cubes_are_excreted(food: tuple[int, ...], left: tuple[int, ...]) -> None:
    game = at_feeding(players=len(food), food={13: food})
    assert game.food(13) == left
    assert game.damage("0.1") == 0
    assert game.reserve == tuple(55 - cubes for cubes in left)  # the eaten cubes are back in the reserve


@pytest.mark.parametrize(
    "food",
    [
        (9, 1, 1),  # own cubes are never eaten
        (0, 9, 0),
        (9, 9, 9, 0),
        (9, 0, 1, 1, 1),
        (9, 9, 0, 0, 1, 1),
    ],
)
def test_without_its_meal_an_amoeba_starves(food: tuple[int, ...]) -> None:
    game = at_feeding(players=len(food), food={13: food})
    assert game.damage("0.1") == 1
    assert game.food(13) == food  # nothing eaten, nothing excreted
    assert game.asks == "card"


def test_three_players_choose_which_colour_is_eaten_twice() -> None:
    game = at_feeding(players=3, board="13: 0.1 cubes 0-2-2")
    assert game.asks == ("meal", 0)
    assert game.legal == {"meal 0-2-1", "meal 0-1-2"}
    game.act("meal 0-1-2")
    assert game.food(13) == (2, 1, 0)


def test_nobody_may_decline_the_basic_meal_r8() -> None:
    game = at_feeding(genes={0: ["struggle_for_survival"]}, board="13: 0.1 1.1 cubes 0-1-1-1")
    # no `starve`, no `attack`: the only action is taken by the engine
    assert game.food(13) == (2, 0, 0, 0)
    assert game.asks == ("move", 1)


def test_excretion_is_limited_by_the_reserve() -> None:
    game = at_feeding(board="1: cubes 54-0-0-0; 13: 0.1 cubes 0-1-1-1")
    # one cube of colour 0 was left in the reserve
    assert game.food(13) == (1, 0, 0, 0)
    assert game.reserve == (0, 55, 55, 55)


# ---- Substitution, Frugality, Parasitism: which meals there are

SUBSTITUTION, FRUGALITY, PARASITISM = "substitution", "frugality", "parasitism"


@in_both_editions
@pytest.mark.parametrize(
    ("players", "genes", "shapes", "even_shapes"),
    [
        # 3 players: the basic meal is 2 + 1
        (3, [SUBSTITUTION], "21 4", "21 4"),
        (3, [FRUGALITY], "21 11 2", "21 11 2"),
        (3, [SUBSTITUTION, FRUGALITY], "21 4 11 2 3", "21 4 11 2 3"),
        # 4 players: 1 + 1 + 1
        (4, [SUBSTITUTION], "111 22 31", "111 22"),
        (4, [FRUGALITY], "111 11", "111 11"),
        (4, [SUBSTITUTION, FRUGALITY], "111 22 31 11 21 3", "111 22 11 21"),
        # 5 and 6 players: 1 + 1 + 1 + 1 [R2]
        *((players, [SUBSTITUTION], "1111 311 221", "1111 311 221") for players in (5, 6)),
        *((players, [FRUGALITY], "1111 111", "1111 111") for players in (5, 6)),
        *((players, [SUBSTITUTION, FRUGALITY], *["1111 311 221 111 211 31 22"] * 2) for players in (5, 6)),
        (6, [], "1111", "1111"),
    ],
)
def test_the_meals_after_eat(players: int, edition: str, genes: list[str], shapes: str, even_shapes: str) -> None:
    eater = players - 1
    for even_substitution, expected in ((False, shapes), (True, even_shapes)):
        game = position(
            players=players,
            edition=edition,
            even_substitution=even_substitution,
            amoebas={f"{eater}.1": 13},
            food={13: (6,) * players},
            genes={eater: genes},
            cards={"frugality": 1},
        )
        game.act("drift")  # the basic meal is there, so `eat` is taken by the engine
        assert game.asks == ("meal", eater)
        assert game.legal == meals_of(expected, players, eater)


@in_both_editions
@pytest.mark.parametrize(
    ("players", "genes", "shapes", "even_shapes"),
    [
        (3, [], "11 2", "11 2"),
        (3, [SUBSTITUTION], "11 2 3", "11 2 3"),
        (3, [FRUGALITY], "11 2 1", "11 2 1"),
        (3, [SUBSTITUTION, FRUGALITY], "11 2 3 1", "11 2 3 1"),
        (4, [], "11", "11"),
        (4, [SUBSTITUTION], "11 21 3", "11 21"),
        (4, [FRUGALITY], "11 1", "11 1"),
        (4, [SUBSTITUTION, FRUGALITY], "11 21 3 1 2", "11 21 1 2"),
        *((players, [], "111", "111") for players in (5, 6)),
        *((players, [SUBSTITUTION], "111 211 31 22", "111 211 31 22") for players in (5, 6)),
        *((players, [FRUGALITY], "111 11", "111 11") for players in (5, 6)),
        *((players, [SUBSTITUTION, FRUGALITY], *["111 211 31 22 11 21 3"] * 2) for players in (5, 6)),
    ],
)
def test_the_meals_after_tap(players: int, edition: str, genes: list[str], shapes: str, even_shapes: str) -> None:
    for even_substitution, expected in ((False, shapes), (True, even_shapes)):
        game = position(
            players=players,
            edition=edition,
            even_substitution=even_substitution,
            amoebas={"1.1": 13, "2.1": 13},
            food={13: (6,) * players},
            genes={1: [PARASITISM, *genes]},
            cards={"frugality": 1, "parasitism": 1},
        )
        game.act("drift")
        assert game.asks == ("feed", 1)
        assert game.legal == {"eat", "tap 2"}
        game.act("tap 2")
        assert game.asks == ("meal", 1)
        assert game.legal == meals_of(expected, players, 1)


def meals_of(shapes: str, players: int, eater: int) -> set[str]:
    """All meals with so many cubes of so many colours: "21" is 2 of one foreign colour and 1 of another."""
    return {
        "meal " + "-".join(map(str, cubes))
        for cubes in product(range(6), repeat=players)
        if cubes[eater] == 0 and "".join(str(n) for n in sorted(cubes, reverse=True) if n) in shapes.split()
    }


def test_meals_are_limited_to_what_is_in_the_space() -> None:
    game = at_feeding(genes={0: [SUBSTITUTION, FRUGALITY]}, board="13: 0.1 cubes 5-1-2-2")
    assert game.asks == ("meal", 0)
    assert game.legal == {
        "meal 0-1-1-1",
        "meal 0-0-2-2",
        *("meal 0-1-1-0", "meal 0-1-0-1", "meal 0-0-1-1"),
        *("meal 0-1-2-0", "meal 0-1-0-2", "meal 0-0-2-1", "meal 0-0-1-2"),
    }
    game.act("meal 0-0-2-2")
    assert game.food(13) == (7, 1, 0, 0)
    assert game.reserve == (48, 54, 55, 55)


# ---- even_substitution: 2:2:0 only, with 4 players


@in_both_editions
@pytest.mark.parametrize(
    ("food", "even_substitution", "left"),
    [
        ("0-0-3-1", False, (2, 0, 0, 0)),
        ("0-0-3-1", True, None),
        ("0-0-3-2", True, (2, 0, 1, 0)),
        ("0-0-2-2", False, (2, 0, 0, 0)),
        ("0-0-2-2", True, (2, 0, 0, 0)),
    ],
)
def test_even_substitution_feeds_on_two_and_two(
    food: str, even_substitution: bool, left: tuple[int, ...] | None, edition: str
) -> None:
    game = at_feeding(
        edition=edition, even_substitution=even_substitution, genes={0: [SUBSTITUTION]}, board=f"13: 0.1 cubes {food}"
    )
    if left is None:
        assert game.damage("0.1") == 1  # it starves, asked nothing
    else:
        assert game.legal == {"eat", "starve"}
        game.act("eat")
        assert game.food(13) == left


# ---- hungry, with genes


@pytest.mark.parametrize(
    ("genes", "board", "legal", "left"),
    [
        ([SUBSTITUTION], "13: 0.1 cubes 0-0-3-1", {"eat", "starve"}, (2, 0, 0, 0)),
        ([SUBSTITUTION], "13: 0.1 cubes 0-4-0", {"eat", "starve"}, (2, 0, 0)),  # three players: four of one colour
        ([FRUGALITY], "13: 0.1 cubes 0-1-0-1", {"eat", "starve"}, (2, 0, 0, 0)),  # one cube fewer
        ([PARASITISM], "13: 0.1 1.1 cubes 0-1-0-1", {"tap 1", "starve"}, (2, 0, 0, 0)),
        ([PARASITISM, FRUGALITY], "13: 0.1 1.1 cubes 0-1-0-0", {"tap 1", "starve"}, (2, 0, 0, 0)),
    ],
)
def test_genes_may_feed_the_hungry_but_none_must(
    genes: list[str], board: str, legal: set[str], left: tuple[int, ...]
) -> None:
    for action in sorted(legal):
        game = at_feeding(board, players=len(left), genes={0: genes}, cards={"parasitism": 1})
        before = game.food(13)
        assert game.asks == ("feed", 0)
        assert game.legal == legal
        game.act(action)
        assert game.food(13) == (before if action == "starve" else left)
        assert game.damage("0.1") == (action == "starve")
        assert game.bp(1) == 4 - (action == "tap 1")


@pytest.mark.parametrize(
    ("genes", "board", "bp"),
    [
        ([FRUGALITY], "13: 0.1 cubes 0-1-0-0", 4),  # one cube is no meal
        ([PARASITISM], "13: 0.1 1.1 2.1 cubes 0-1-0-0", 0),
        ([PARASITISM], "13: 0.1 1.1 2.1 cubes 0-1-0-0", 4),  # two hosts would make one, but one a meal serves
        ([PARASITISM], "13: 0.1 1.1 cubes 9-9-0-0", 4),  # not even the smaller meal is there
    ],
)
def test_where_genes_do_not_help_the_hungry_are_not_asked(genes: list[str], board: str, bp: int) -> None:
    game = at_feeding(board, genes={0: genes}, bp={1: bp, 2: bp})
    assert game.damage("0.1") == 1
    assert game.bp(1) == bp


@pytest.mark.parametrize(("tap_cost", "poor", "able"), [(1, 0, 1), (3, 2, 3)])
def test_a_host_must_have_the_bp_that_tapping_costs(tap_cost: int, poor: int, able: int) -> None:
    game = at_feeding(
        "13: 0.1 1.1 2.1 cubes 0-1-1-0", tap_cost=tap_cost, genes={0: [PARASITISM]}, bp={1: poor, 2: able}
    )
    assert game.legal == {"tap 2", "starve"}
    game.act("tap 2")
    assert game.bp(2) == 0


def test_a_host_without_bp_can_be_tapped_for_nothing() -> None:
    game = at_feeding("13: 0.1 1.1 cubes 0-1-1-0", tap_cost=0, genes={0: [PARASITISM]}, bp={1: 0})
    assert game.legal == {"tap 1", "starve"}


def test_a_host_pays_at_once_before_the_meal_is_chosen() -> None:
    game = at_feeding(genes={0: [PARASITISM]}, board="13: 0.1 1.1 cubes 0-1-1-1")
    assert game.asks == ("feed", 0)
    assert game.legal == {"eat", "tap 1"}  # the basic meal is there: no `starve` [R8]
    game.act("tap 1")
    assert game.asks == ("meal", 0)
    assert game.legal == {"meal 0-1-1-0", "meal 0-1-0-1", "meal 0-0-1-1"}
    assert game.bp(1) == 3
    assert game.bp(0) == 4  # the host pays to the bank
    game.act("meal 0-1-1-0")
    assert game.food(13) == (2, 0, 0, 1)


def test_a_tapped_host_serves_for_one_meal_only() -> None:
    game = at_feeding(genes={0: [PARASITISM]}, board="12: 0.2 cubes 0-1-1-1; 13: 0.1 1.1 cubes 0-1-1-0")
    game.act("tap 1", "drift")
    assert game.food(12) == (2, 0, 0, 0)  # 0.2 eats the whole meal
    assert game.bp(1) == 3


def test_hosts_are_chosen_by_player() -> None:
    game = at_feeding(genes={0: [PARASITISM]}, board="12: 2.1; 13: 0.1 0.2 1.1 1.2 3.4 cubes 0-1-1-0")
    assert game.legal == {"tap 1", "tap 3", "starve"}  # not oneself, nobody from another space
    game.act("tap 3")
    assert [game.bp(player) for player in range(4)] == [4, 4, 4, 3]


def test_all_ways_out_of_hunger_side_by_side() -> None:
    game = at_feeding(
        genes={0: [SUBSTITUTION, PARASITISM, "struggle_for_survival"]}, board="13: 0.1 1.1 2.2 cubes 0-2-2-0"
    )
    assert game.legal == {"eat", "tap 1", "tap 2", "attack 1.1", "attack 2.2", "starve"}
