"""Phase 1a, displacement: Tentacle takes cubes along, Holding clings (rules.md section 7)."""

import pytest

from support.positions import Position, position

# West and east of space 13 lie 12 and 14, north of it the island.
TRIO = "12: 0.1 1.1 2.1"
PAIR = "12: 0.1 1.1"


# ---- Holding: hold


def test_hold_stays_for_nothing_and_feeds() -> None:
    game = position("13: 0.1 cubes 0-1-1-1", card=("west", 9), genes={0: ["holding"]}, bp={0: 0})
    assert game.legal == {"drift", "hold"}
    game.act("hold")
    assert game.space("0.1") == 13
    assert game.food(13) == (2, 0, 0, 0)


# ---- Tentacle


def tentacle(board: str = "12: 0.1 cubes 2-1-3-0", **changes: object) -> Position:
    return position(board, **{"card": ("east", 8), "genes": {0: ["tentacle"]}, **changes})


def test_tentacle_takes_three_cubes_of_any_colours() -> None:
    game = tentacle()
    game.act("drift")
    assert game.asks == ("carry", 0)
    assert game.legal == {"carry 0", "carry 1", "carry 2", "pass"}  # the own colour too; no cube of colour 3
    game.act("carry 0")
    assert game.food(12) == (1, 1, 3, 0)  # the cube on its way is neither on the space
    assert game.reserve == (53, 54, 52, 55)  # nor in the reserve
    game.act("carry 1", "carry 2")
    assert game.space("0.1") == 13
    assert game.food(12) == (1, 0, 2, 0)
    assert game.food(13) == (1, 1, 1, 0)
    assert game.reserve == (53, 54, 52, 55)


def test_tentacle_takes_the_colours_in_non_descending_order() -> None:
    game = tentacle()
    game.act("drift", "carry 1")
    assert game.legal == {"carry 2", "pass"}  # colour 1 is used up, colour 0 comes before it
    game.act("carry 2")
    assert game.legal == {"carry 2", "pass"}


def test_the_order_of_colours_is_that_of_player_numbers_for_everybody() -> None:
    game = tentacle(genes={2: ["tentacle"]}, board="12: 2.1 cubes 1-1-1-1")
    game.act("drift", "carry 1")
    assert game.asks == ("carry", 2)
    assert game.legal == {"carry 2", "carry 3", "pass"}


def test_tentacle_may_take_fewer() -> None:
    game = tentacle()
    game.act("drift", "carry 2", "pass")
    assert game.food(12) == (2, 1, 2, 0)
    assert game.food(13) == (0, 0, 1, 0)


def test_carrying_ends_when_nothing_can_be_taken() -> None:
    game = tentacle(board="12: 0.1 cubes 0-1-1-0")
    game.act("drift", "carry 1", "carry 2")
    assert game.space("0.1") == 13
    assert game.food(13) == (0, 1, 1, 0)


def test_carrying_ends_when_only_an_earlier_colour_is_left() -> None:
    game = tentacle(board="12: 0.1 cubes 3-0-1-0")
    game.act("drift", "carry 2")
    assert game.space("0.1") == 13
    assert game.food(12) == (3, 0, 0, 0)


def test_nothing_is_asked_in_a_space_without_cubes() -> None:
    game = tentacle(board="12: 0.1")
    game.act("drift")
    assert game.space("0.1") == 13


@pytest.mark.parametrize(("players", "most"), [(3, 2), (4, 3), (5, 3), (6, 3)])
def test_how_many_cubes_a_tentacle_takes_r2(players: int, most: int) -> None:
    game = tentacle("12: 0.1", players=players, food={12: (4,) * players})
    game.act("drift", *["carry 1"] * most)
    assert game.space("0.1") == 13
    assert game.food(13)[1] == most


def test_no_cubes_without_displacement() -> None:
    game = tentacle(card=("north", 9), board="13: 0.1 cubes 4-0-0-0")
    # north of 13 lies the island
    game.act("drift")
    assert game.asks == "card"


def test_tentacle_in_an_active_step_and_in_each_of_two() -> None:
    game = tentacle(genes={0: ["tentacle", "speed"]}, board="12: 0.1 cubes 0-0-4-0; 13: cubes 0-0-1-0")
    game.act("move")
    assert game.asks == "die"
    game.roll(3)
    assert game.asks == ("carry", 0)
    game.act("carry 2", "pass")
    assert game.food(13) == (0, 0, 2, 0)
    game.act("again", "die 4", "carry 2", "carry 2")
    assert game.space("0.1") == 18
    assert game.food(18) == (0, 0, 2, 0)


def test_each_step_begins_again_with_the_first_colour() -> None:
    game = tentacle(genes={0: ["tentacle", "speed"]}, board="12: 0.1 cubes 0-0-1-0; 13: cubes 1-0-0-1")
    game.act("move", "die 3", "carry 2", "again", "die 4")
    assert game.legal == {"carry 0", "carry 2", "carry 3", "pass"}


def test_a_tentacle_that_carries_nothing_asks_nothing() -> None:
    game = tentacle(carry=0)
    game.act("drift")
    assert game.space("0.1") == 13
    assert game.asks == "card"


def test_no_cubes_with_a_step_that_stays() -> None:
    game = tentacle()
    game.act("move", "die 5")
    assert game.space("0.1") == 12
    assert game.food(12) == (2, 1, 3, 0)


def test_the_carried_cubes_can_be_eaten_on_arrival() -> None:
    game = tentacle(board="12: 0.1 cubes 0-1-1-1")
    game.act("drift", "carry 1", "carry 2", "carry 3")
    assert game.food(13) == (2, 0, 0, 0)
    assert game.damage("0.1") == 0


# ---- Holding: cling


def test_an_opponents_amoeba_with_holding_may_come_along_free() -> None:
    game = position(TRIO, card=("east", 8), genes={1: ["holding"]}, bp={1: 0})
    game.act("drift")
    assert game.asks == ("cling", 1)
    assert game.legal == {"cling", "pass"}
    assert game.space("0.1") == 12  # they change space together, after the answers
    game.act("cling")
    assert (game.space("0.1"), game.space("1.1"), game.space("2.1")) == (13, 13, 12)
    assert game.bp(1) == 0


def test_only_amoebas_in_the_space_that_is_left_may_cling() -> None:
    game = position("12: 0.1; 13: 1.1; 17: 1.2", card=("east", 8), genes={1: ["holding"]})
    game.act("drift")
    assert game.asks == ("move", 1)


def drifting_from(board: str) -> Position:
    """0.1 has drifted; players 1 and 2 own Holding. Track: 0, 2, 1, 3."""
    genes = {1: ["holding"], 2: ["holding"]}
    game = position(board, card=("east", 8), markers=(1, 3, 2, 4), genes=genes, cards={"holding": 2})
    game.act("drift")
    return game


def test_each_amoeba_decides_for_itself_knowing_the_earlier_answers() -> None:
    game = drifting_from("12: 0.1 1.2 1.4 2.3")
    assert game.asks == ("cling", 2)  # owners in ascending order of the track
    game.act("cling")
    assert game.asks == ("cling", 1)  # then by number: 1.2
    game.act("pass")
    assert game.asks == ("cling", 1)  # 1.4
    game.act("cling")
    assert [game.space(amoeba) for amoeba in ("0.1", "2.3", "1.2", "1.4")] == [13, 13, 12, 13]


def test_an_amoeba_dragged_along_triggers_no_further_clinging() -> None:
    game = drifting_from(TRIO)  # 2.1 refuses to cling to 0.1 ...
    assert game.asks == ("cling", 2)
    game.act("pass")
    assert game.asks == ("cling", 1)
    game.act("cling")
    # ... and is not asked whether it clings to 1.1, which leaves the space after that.
    assert [game.space(amoeba) for amoeba in ("0.1", "1.1", "2.1")] == [13, 13, 12]
    assert game.asks == ("move", 2)


def test_an_amoeba_dragged_along_keeps_its_own_action() -> None:
    game = position(PAIR, card=("east", 8), genes={1: ["holding"]})
    game.act("drift", "cling")
    assert game.asks == ("move", 1)
    game.act("drift")
    assert game.space("1.1") == 14


def test_an_amoeba_dragged_along_has_used_up_its_own_action() -> None:
    game = position(PAIR, card=("east", 8), genes={0: ["holding"]})
    game.act("hold")  # 0.1 has acted and starved
    game.act("drift")
    assert game.asks == ("cling", 0)
    game.act("cling")
    assert (game.space("0.1"), game.space("1.1")) == (13, 13)
    assert game.asks == "card"
    assert (game.damage("0.1"), game.damage("1.1")) == (1, 1)
