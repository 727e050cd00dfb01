"""Phase 6: scoring, and the end (rules.md section 7)."""

import pytest

from support.positions import Position, position

FAR_APART = (1, 10, 20, 30, 35, 40)


def scored(markers: tuple[int, ...], *amoebas: int, **options: object) -> Position:
    """After the scoring; on the board are so many amoebas of player 0, 1, ..., none of the others."""
    on_board = {f"{player}.{n}": n + player for player, most in enumerate(amoebas) for n in range(1, most + 1)}
    return position(players=len(markers), phase=6, markers=markers, amoebas=on_board, **options)


# ---- how far


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_places_for_amoebas(players: int) -> None:
    for amoebas, places in enumerate([0, 0, 0, 1, 2, 4, 5, 6] if players < 5 else [0, 0, 1, 2, 4, 5, 6]):
        game = scored(FAR_APART[:players], 0, amoebas)
        assert game.markers[:3] == (1, 10 + places, 20)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("genes", "places"),
    [
        ([], 0),
        (["intelligence"], 0),
        (["intelligence", "spores"], 0),
        (["intelligence", "spores", "speed"], 1),
        (["intelligence", "spores", "speed", "escape"], 2),
        (["intelligence", "spores", "speed", "escape", "holding"], 3),
        (["intelligence", "spores", "speed", "escape", "holding", "defense"], 4),
        (["intelligence", "spores", "speed", "escape", "holding", "defense", "tentacle", "aggression"], 4),
        (["endurance"], 0),  # advanced genes count 2
        (["endurance", "intelligence"], 1),
        (["endurance", "movement_2", "aggression"], 4),
        (["armour", "movement_2"], 2),
        (["intelligence", "spores", "ray_protection"], 0),  # Ray Protection counts 0
        (["intelligence", "spores", "speed", "ray_protection"], 1),
    ],
)
def test_places_for_gene_points(players: int, genes: list[str], places: int) -> None:
    # Track: 1: player 0   10: player 1, with the genes   20, 30, ...: the others
    game = scored(FAR_APART[:players], genes={1: genes})
    assert game.markers[:3] == (1, 10 + places, 20)


def test_intelligence_is_a_gene_point_and_nothing_else() -> None:
    game = position("13: 0.1 cubes 0-1-1-1", genes={0: ["intelligence"]})
    assert game.legal == {"drift", "move"}
    game.act("drift")
    assert game.food(13) == (2, 0, 0, 0)
    game.turn_up("south", 13)
    assert game.asks == ("buy", 3)
    game.pass_until(("divide", 0))
    assert game.bp(0) == 14
    ruleset = game.games.ruleset
    assert (ruleset.price[0], ruleset.mutation_points[0], ruleset.gene_score[0]) == (2, 3, 1)


def test_amoeba_places_and_gene_places_add_up() -> None:
    game = scored((1, 10, 20, 30), 0, 5, genes={1: ["intelligence", "spores", "speed", "escape"]})
    # 5 amoebas: 4 places; 4 gene points: 2 places
    assert game.markers == (1, 16, 20, 30)


# ---- occupied places


def test_scoring_over_occupied_places() -> None:
    # Track:  ... 10  11  12  13  14  15
    #              0   1   2       3
    game = scored((10, 11, 12, 14), 4)
    # 4 amoebas: 2 places. 11 and 12 are occupied, 13 is the first, 14 is occupied, 15 is the second.
    assert game.markers == (15, 11, 12, 14)


def test_players_score_in_descending_order_and_later_ones_see_the_new_places() -> None:
    game = scored((10, 11, 30, 35), 3, 3)
    # 3 amoebas each: 1 place. Player 1 goes first and leaves 11, so that player 0 gets there.
    assert game.markers == (11, 12, 30, 35)


def test_a_new_place_is_occupied_for_later_players() -> None:
    game = scored((10, 11, 30, 35), 4, 3)
    # Player 1 goes to 12. Player 0 has 2 places: 11, and over 12 to 13.
    assert game.markers == (13, 12, 30, 35)


def test_who_passes_others_does_not_score_twice() -> None:
    game = scored((10, 11, 12, 35), 3, 3, 7)
    # Player 2 goes to 18, player 1 over nobody to 12, player 0 to 11.
    assert game.markers == (11, 12, 18, 35)


def test_the_new_order_of_the_track_holds_from_the_next_round_on() -> None:
    game = scored((10, 11, 30, 35), 5, 1)
    # 4 places for player 0: 12, 13, 14, 15
    assert game.markers == (15, 11, 30, 35)
    assert game.asks == ("move", 1)


def test_the_track_has_no_upper_bound_r1() -> None:
    # the last place that sources draw is 51
    game = scored((49, 50, 51, 1), 7, 0, 7)
    # Player 2 goes 6 places to 57; player 0 over 50 to 51, 52, 53, 54, 55, 56.
    assert game.markers == (56, 50, 57, 1)
    assert game.asks == "end"


# ---- the end


def test_the_game_ends_when_a_marker_stands_at_42() -> None:
    game = scored((1, 40, 3, 4), 0, 4)
    assert game.markers == (1, 42, 3, 4)
    assert game.asks == "end"
    assert game.games.winner[0] == 1


def test_the_game_goes_on_at_41() -> None:
    game = scored((1, 40, 3, 4), 0, 3)
    assert game.markers == (1, 41, 3, 4)
    assert game.asks == ("move", 1)
    assert game.games.winner[0] == -1


def test_the_furthest_marker_wins_not_the_first_in_the_end_zone() -> None:
    # Player 3 leads with 41 and goes to 42, player 0 overtakes.
    game = scored((40, 2, 3, 41), 7, 0, 0, 3)
    # Player 0 has 6 places: 41, 43, 44, 45, 46, 47
    assert game.markers == (47, 2, 3, 42)
    assert game.games.winner[0] == 0


def test_the_game_ends_after_phase_6_only() -> None:
    # A marker in the end zone (by a hand-made position) does not end phases 1 to 5.
    game = position("13: 0.1", markers=(1, 2, 3, 50))
    assert game.asks == ("move", 0)


def test_the_game_ends_with_the_round_of_the_last_environment_card() -> None:
    # Round 10: all 11 cards have been turned up
    game = scored((7, 9, 8, 1), round=10)
    assert game.asks == "end"
    assert game.games.winner[0] == 1
    assert game.games.rounds[0] == 10


def test_the_game_goes_on_while_a_card_is_left() -> None:
    game = position("13: 0.1", phase=6, round=9)
    assert game.asks == ("move", 0)
    assert game.games.rounds[0] == 10


def test_a_player_without_amoebas_stays_in_the_game() -> None:
    game = position("2: 1.1 cubes 1-0-1-1; 3: 1.2 cubes 1-0-1-1; 4: 1.3 cubes 1-0-1-1", phase=6)
    # Player 0 has none: the marker does not move, and the turns in the later phases come all the same.
    for _ in range(3):
        assert game.asks == ("move", 1)
        game.act("drift")
    game.turn_up("south", 13)
    game.pass_until(("buy", 0))
    game.pass_until(("divide", 0))
    assert game.bp(0) == 14
    game.act("space 19", "amoeba 7")
    assert game.bp(0) == 14
    assert game.space("0.7") == 19
