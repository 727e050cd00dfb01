"""Phase 1a: drift, active steps, dice (rules.md section 7)."""

import pytest

from support.positions import Position, in_both_editions, position, struggling

ALL_DIRECTIONS = {"west", "north", "east", "south"}

IN_13 = """
    .   1   .        .   .
    2   3   4        5   6
    7   8   ISLE     9   10
    11  12  13: 0.1  14  15
    16  17  18       19  .
    """
NEIGHBOURS = "13: 0.1; 14: 1.1"
IN_12 = "12: 0.1"


# ---- who acts


def test_amoebas_act_in_the_order_of_track_and_numbers() -> None:
    # Track: player 1 is last, then 0, 3, 2.
    game = position("1: 0.2; 2: 0.6; 3: 1.7 cubes 9-9-9-9; 4: 1.1; 5: 2.3", markers=(5, 2, 9, 7))
    acted = []
    while game.asks != "card":
        acted.append(game.asks)
        game.act("drift")
    assert acted == [("move", player) for player in (1, 1, 0, 0, 2)]


def test_each_amoeba_moves_and_feeds_before_the_next_one_acts() -> None:
    game = position("13: 0.1 0.2 cubes 0-1-1-1")
    game.act("drift")  # 0.1 takes the only meal
    assert game.food(13) == (2, 0, 0, 0)
    game.act("drift")
    assert (game.damage("0.1"), game.damage("0.2")) == (0, 1)
    assert game.asks == "card"


# ---- drift


@pytest.mark.parametrize(
    ("card", "space"),
    [(("west", 9), 12), (("east", 8), 14), (("south", 10), 18), (("north", 9), 13), (("none", 14), 13)],
)
def test_drift_goes_one_space_in_the_direction_of_the_card(card: tuple[str, int], space: int) -> None:
    game = position(IN_13, card=card)
    # north of 13 lies the island
    game.act("drift")
    assert game.space("0.1") == space
    assert game.bp(0) == 4  # free


@pytest.mark.parametrize(
    ("card", "spaces"),
    [
        (("west", 9), [2, 1, 9]),  # at the edge, beside a missing cell, beside the island
        (("north", 9), [4, 13]),
        (("east", 8), [1, 8, 19]),
        (("south", 10), [4, 15, 16]),
    ],
)
def test_no_drift_into_an_obstacle(card: tuple[str, int], spaces: list[int]) -> None:
    for space in spaces:
        game = position(card=card, amoebas={"0.1": space})
        game.act("drift")
        assert game.space("0.1") == space


def test_drift_is_always_possible_and_a_move_only_with_1_bp() -> None:
    game = position(NEIGHBOURS, card=("west", 9), bp={0: 0, 1: 1})
    # player 0 has no BP: the amoeba drifts without a question
    assert game.space("0.1") == 12
    assert game.asks == ("move", 1)
    assert game.legal == {"drift", "move"}


# ---- the active step


def test_a_move_is_paid_before_its_dice() -> None:
    game = position(IN_13, bp={0: 3})
    game.act("move")
    assert game.asks == "die"
    assert game.bp(0) == 2


@pytest.mark.parametrize(("value", "space"), [(1, 7), (2, 3), (3, 8), (4, 12), (5, 8)])
def test_die_1_to_4_is_its_direction_and_5_is_stay(value: int, space: int) -> None:
    # east of 8 lies the island: an option towards an obstacle is the option stay
    game = position("8: 0.1")
    game.act("move")
    game.roll(value)
    assert game.space("0.1") == space
    assert game.asks == "card"


def test_a_6_is_any_of_the_four_directions_and_not_stay_r3() -> None:
    game = position(IN_12)
    game.act("move", "die 6")
    assert game.asks == ("direction", 0)
    assert game.legal == ALL_DIRECTIONS
    game.act("north")
    assert game.space("0.1") == 8


def test_a_6_next_to_an_obstacle_may_keep_the_amoeba_in_place_r3() -> None:
    game = position(IN_13)
    game.act("move", "die 6")
    assert game.legal == {"west", "east", "south", "stay"}
    game.act("stay")
    assert game.space("0.1") == 13


def test_a_6_in_a_dead_end_leaves_one_way_and_stay_r3() -> None:
    game = position("1: 0.1")
    game.act("move", "die 6")
    assert game.legal == {"south", "stay"}


# ---- Movement I


@pytest.mark.parametrize(
    ("board", "dice", "options"),
    [
        (IN_12, (1, 2), {"west", "north"}),
        (IN_12, (2, 1), {"west", "north"}),
        (IN_12, (3, 5), {"east", "stay"}),
        (IN_12, (1, 6), ALL_DIRECTIONS),
        (IN_12, (6, 6), ALL_DIRECTIONS),
        (IN_12, (5, 6), ALL_DIRECTIONS | {"stay"}),
        (IN_13, (2, 3), {"stay", "east"}),  # north of 13 lies the island
    ],
)
def test_movement_1_has_the_options_of_both_dice(board: str, dice: tuple[int, int], options: set[str]) -> None:
    game = position(board, genes={0: ["movement_1"]})
    game.act("move")
    assert game.asks == "dice"
    game.roll(*dice)
    assert game.asks == ("direction", 0)
    assert game.legal == options


@pytest.mark.parametrize(("board", "dice", "space"), [(IN_12, (4, 4), 17), (IN_13, (2, 5), 13)])
def test_two_dice_of_one_option_leave_no_choice(board: str, dice: tuple[int, int], space: int) -> None:
    game = position(board, genes={0: ["movement_1"]})
    game.act("move")
    game.roll(*dice)
    assert game.space("0.1") == space
    assert game.asks == "card"


# ---- Movement II


def test_movement_2_has_the_four_directions_and_stay_without_dice() -> None:
    game = position(IN_12, genes={0: ["movement_2"]})
    game.act("move")
    assert game.asks == ("direction", 0)
    assert game.legal == ALL_DIRECTIONS | {"stay"}
    assert game.bp(0) == 3
    game.act("stay")
    assert game.space("0.1") == 12


# ---- free_stay: may Movement II stay without an obstacle?


def free_stay_at(space: int, *owned: str, **options: object) -> Position:
    """0.1 with Movement II begins to move."""
    game = position(amoebas={"0.1": space}, genes={0: ["movement_2", *owned]}, **options)
    game.act("move")
    return game


with_and_without = pytest.mark.parametrize("free_stay", [True, False])


@in_both_editions
@with_and_without
@pytest.mark.parametrize(
    ("space", "directions", "obstacle"),
    [
        (3, ALL_DIRECTIONS, False),
        (12, ALL_DIRECTIONS, False),
        (13, ALL_DIRECTIONS - {"north"}, True),  # the island
        (15, {"west", "north"}, True),  # a corner
    ],
)
def test_without_free_stay_movement_2_stays_at_an_obstacle_only(
    space: int, directions: set[str], obstacle: bool, free_stay: bool, edition: str
) -> None:
    game = free_stay_at(space, edition=edition, free_stay=free_stay)
    assert game.asks == ("direction", 0)
    assert game.legal == directions | ({"stay"} if free_stay or obstacle else set())


@in_both_editions
@with_and_without
def test_free_stay_in_the_second_step(free_stay: bool, edition: str) -> None:
    game = free_stay_at(13, "speed", edition=edition, free_stay=free_stay)
    game.act("west", "again")  # in 12 there is no obstacle
    assert game.legal == ALL_DIRECTIONS | ({"stay"} if free_stay else set())
    game.act("east")
    assert game.space("0.1") == 13


@in_both_editions
@with_and_without
def test_free_stay_in_an_escape(free_stay: bool, edition: str) -> None:
    victim = ("movement_2", "escape")
    game = struggling(victim=victim, board="12: 0.1 1.1", edition=edition, free_stay=free_stay)
    game.act("attack 1.1", "escape")
    assert game.legal == ALL_DIRECTIONS | ({"stay"} if free_stay else set())


@with_and_without
def test_free_stay_changes_nothing_where_dice_are_rolled(free_stay: bool) -> None:
    for genes, dice, stays in (((), (6,), False), ((), (5,), True), (("movement_1",), (1, 5), True)):
        game = position(amoebas={"0.1": 12}, free_stay=free_stay, genes={0: genes})
        game.act("move")
        game.roll(*dice)
        can_stay = game.space("0.1") == 12 and (game.asks == "card" or "stay" in game.legal)
        assert can_stay == stays


# ---- Speed, Endurance, Streamlining


@pytest.mark.parametrize("gene", ["speed", "endurance"])
def test_a_second_free_active_step(gene: str) -> None:
    game = position(IN_12, genes={0: [gene]}, bp={0: 1})
    game.act("move", "die 3")
    assert game.space("0.1") == 13
    assert game.asks == ("again", 0)
    assert game.legal == {"again", "pass"}
    game.act("again")
    assert game.asks == "die"  # dice of its own
    assert game.bp(0) == 0
    game.roll(4)
    assert game.space("0.1") == 18
    assert game.asks == "card"  # there is no third one


def test_the_second_step_may_be_declined() -> None:
    game = position(IN_12, genes={0: ["speed"]})
    game.act("move", "die 3", "pass")
    assert game.space("0.1") == 13
    assert game.asks == "card"


@pytest.mark.parametrize("value", [5, 2])
def test_the_second_step_follows_whatever_came_of_the_first(value: int) -> None:
    game = position(IN_13, genes={0: ["speed"]})
    # 5 is stay, 2 is north, where the island is
    game.act("move")
    game.roll(value)
    assert game.space("0.1") == 13
    assert game.asks == ("again", 0)


def test_a_drift_has_no_second_step() -> None:
    game = position(IN_13, card=("west", 9), genes={0: ["speed"]})
    game.act("drift")
    assert game.space("0.1") == 12
    assert game.asks == "card"


def test_speed_with_movement_1_rolls_two_dice_for_each_step() -> None:
    game = position(IN_12, genes={0: ["speed", "movement_1"]})
    game.act("move", "dice 1-3", "east", "again")
    assert game.asks == "dice"
    game.roll(1, 4)
    assert game.legal == {"west", "south"}


def test_speed_with_movement_2_chooses_twice() -> None:
    game = position(IN_12, genes={0: ["speed", "movement_2"]})
    game.act("move", "east", "again", "west")
    assert game.space("0.1") == 12
    assert game.asks == "card"


def test_streamlining_moves_free() -> None:
    game = position(IN_12, genes={0: ["streamlining"]}, bp={0: 0})
    assert game.asks == ("move", 0)
    assert game.legal == {"drift", "move"}
    game.act("move", "die 3")
    assert game.space("0.1") == 13
    assert game.bp(0) == 0


def test_a_move_costs_what_the_ruleset_says() -> None:
    game = position("12: 0.1; 14: 1.1", bp={0: 1, 1: 2}, move_cost=2)
    # player 0 cannot pay and drifts
    assert game.asks == ("move", 1)
    game.act("move")
    assert game.bp(1) == 0
    assert game.asks == "die"


def test_only_the_owner_of_holding_may_stay() -> None:
    game = position(NEIGHBOURS, card=("west", 9), genes={1: ["holding"]})
    assert game.legal == {"drift", "move"}
    game.act("drift")
    assert game.legal == {"drift", "move", "hold"}
