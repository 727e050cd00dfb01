"""Set-up (rules.md section 6) and the numbers by player count (section 5)."""

import pytest

from support.positions import Position, new_game

ALL_SPACES = {f"space {space}" for space in range(1, 20)}


def after_start_places(players: int = 4, edition: str = "1998") -> Position:
    """Player j stands on place j + 1."""
    game = new_game(players, edition)
    game.turn_up("none", 14)
    game.draw_start_order(*range(players))
    game.act(*(f"start {place}" for place in range(1, players)))  # the last place is taken without asking
    return game


def test_the_first_card_comes_before_everything_else() -> None:
    game = new_game()
    assert game.asks == "card"
    game.turn_up("west", 6)
    assert game.asks == "start_order"


def test_the_first_card_is_one_of_eleven_and_the_equal_ones_count_twice() -> None:
    name, outcomes = new_game().games.chance(0)
    assert name == "card"
    once = [*(("west", 6), ("west", 9), ("west", 12), ("east", 8), ("north", 9), ("north", 11)), ("south", 10)]
    expected = {**dict.fromkeys([*once, ("south", 13), ("none", 14)], 1), ("east", 10): 2}
    assert {tuple(card): round(11 * probability) for card, probability in outcomes} == expected


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_cubes_on_all_spaces_and_biopoints_r2(players: int) -> None:
    # Each of the 19 spaces: 2 cubes of each colour in play; 55 - 38 = 17 stay in each reserve.
    game = new_game(players)
    assert all(game.food(space) == (2,) * players for space in range(1, 20))
    assert game.reserve == (17,) * players
    assert [game.bp(player) for player in range(players)] == [4] * players


def test_each_takes_one_free_start_place_in_start_order() -> None:
    # Start order 2, 0, 3, 1.   Track:  1  2  3  4
    game = new_game()
    game.turn_up("none", 14)
    game.draw_start_order(2, 0, 3, 1)
    assert game.asks == ("start_place", 2)
    assert game.legal == {"start 1", "start 2", "start 3", "start 4"}
    game.act("start 3")
    assert game.asks == ("start_place", 0)
    assert game.legal == {"start 1", "start 2", "start 4"}
    game.act("start 1")
    assert game.asks == ("start_place", 3)
    assert game.legal == {"start 2", "start 4"}
    game.act("start 4")  # the last player has one place left: the engine takes it
    # Track:  1: player 0   2: player 1   3: player 2   4: player 3
    assert game.markers == (1, 2, 3, 4)


def test_first_amoebas_ascending_then_second_ones_descending() -> None:
    # Track:  1: player 1   2: player 3   3: player 2   4: player 0
    game = new_game()
    game.turn_up("none", 14)
    game.draw_start_order(0, 1, 2, 3)
    game.act("start 4", "start 1", "start 3")
    placed = []
    for space in range(1, 9):
        decision, player = game.asks
        assert decision == "place"
        placed.append(player)
        game.act(f"space {space}")
        assert game.asks == ("number", player)
        game.act("amoeba 1" if len(placed) <= 4 else "amoeba 2")
    assert placed == [1, 3, 2, 0, 0, 2, 3, 1]


def test_place_is_a_space_with_no_amoeba_at_all() -> None:
    game = after_start_places()
    assert game.asks == ("place", 0)
    assert game.legal == ALL_SPACES
    game.act("space 13", "amoeba 1")
    assert game.amoebas == {"0.1": 13}
    assert game.asks == ("place", 1)
    assert game.legal == ALL_SPACES - {"space 13"}
    game.act("space 9", "amoeba 1", "space 1", "amoeba 1", "space 2", "amoeba 1")
    assert game.amoebas == {"0.1": 13, "1.1": 9, "2.1": 1, "3.1": 2}
    assert game.asks == ("place", 3)  # the second one: own amoebas count as well
    assert game.legal == ALL_SPACES - {"space 13", "space 9", "space 1", "space 2"}


@pytest.mark.parametrize(("players", "amoebas"), [(3, 7), (4, 7), (5, 6), (6, 6)])
def test_an_amoeba_of_any_number_r2(players: int, amoebas: int) -> None:
    game = after_start_places(players)
    game.act("space 13")
    assert game.asks == ("number", 0)
    assert game.legal == {f"amoeba {number}" for number in range(1, amoebas + 1)}
    game.act("amoeba 5")
    assert game.space("0.5") == 13
    for player in range(1, players):
        game.act(f"space {player}", "amoeba 1")
    for player in range(players - 1, 0, -1):
        game.act(f"space {19 - player}", "amoeba 2")
    game.act("space 8")
    assert game.asks == ("number", 0)
    assert game.legal == {f"amoeba {number}" for number in range(1, amoebas + 1) if number != 5}


@pytest.mark.parametrize(("players", "first"), [(3, 0), (4, 1), (5, 1), (6, 1)])
def test_damage_of_the_first_and_the_second_amoeba_r2(players: int, first: int) -> None:
    game = after_start_places(players)
    for player in range(players):
        game.act(f"space {1 + player}", "amoeba 3")
    for player in range(players - 1, -1, -1):
        game.act(f"space {11 + player}", "amoeba 1")
    assert [game.damage(f"{player}.3") for player in range(players)] == [first] * players
    assert [game.damage(f"{player}.1") for player in range(players)] == [0] * players


def test_then_phase_1_of_round_1_begins_with_the_last_marker() -> None:
    game = after_start_places()
    for player in range(4):
        game.act(f"space {1 + player}", "amoeba 3")
    for player in range(3, -1, -1):
        game.act(f"space {11 + player}", "amoeba 1")
    first, second = (
        {f"{player}.{number}": space + player for player in range(4)} for number, space in ((3, 1), (1, 11))
    )
    assert game.amoebas == first | second
    assert game.games.rounds[0] == 1
    assert game.asks == ("move", 0)
    game.act("drift")  # the card shows no direction, the basic meal is there: amoeba 1 eats, amoeba 3 is next
    assert game.food(11) == (4, 1, 1, 1)
    assert game.asks == ("move", 0)
