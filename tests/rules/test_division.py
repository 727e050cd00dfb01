"""Phase 4: income and division (rules.md section 7)."""

import pytest

from support.positions import Position, position

EVERYWHERE = {f"space {space}" for space in range(1, 20)}

PARENTS = """
    .   1   .        .   .
    2   3   4        5   6
    7   8   ISLE     9   10
    11  12  13: 3.1  14  15
    16  17  18: 3.2  19  .
    """


def dividing(board: str = "", **options: object) -> Position:
    """The leader, player 3 of 4, may divide."""
    return position(board, phase=4, **options)


@pytest.mark.parametrize(("players", "income"), [(3, 10), (4, 10), (5, 11), (6, 11)])
def test_each_player_gets_his_income_when_his_turn_comes(players: int, income: int) -> None:
    game = dividing(players=players)
    leader = players - 1
    assert game.asks == ("divide", leader)
    assert game.bp(leader) == 4 + income
    assert game.bp(leader - 1) == 4
    game.act("pass")
    assert game.asks == ("divide", leader - 1)
    assert game.bp(leader - 1) == 4 + income


def test_players_divide_in_descending_order() -> None:
    # Track: 1: player 2   5: player 0   6: player 3   9: player 1
    game = dividing(markers=(5, 9, 1, 6))
    dividers = []
    while game.asks[0] == "divide":
        dividers.append(game.asks[1])
        game.act("pass")
    assert dividers == [1, 3, 0, 2]


def test_biopoints_have_no_limit_r7() -> None:
    game = dividing(amoebas={"3.1": 13}, bp={3: 400})
    assert game.bp(3) == 410


def test_a_new_amoeba_stands_orthogonally_next_to_an_own_one_and_foreign_ones_are_no_obstacle() -> None:
    game = dividing("12: 0.1 1.1; 13: 3.1; 17: 2.1; 18: 3.2")  # north of 13 lies the island, south of 18 the edge
    assert game.legal == {"space 12", "space 14", "space 17", "space 19", "pass"}


def test_a_division_is_paid_before_the_number_is_chosen() -> None:
    game = dividing(PARENTS)
    game.act("space 12")
    assert game.asks == ("number", 3)
    assert game.bp(3) == 14 - 6
    assert game.legal == {"amoeba 3", "amoeba 4", "amoeba 5", "amoeba 6", "amoeba 7"}
    game.act("amoeba 6")
    assert game.space("3.6") == 12
    assert game.damage("3.6") == 0


def test_divide_until_pass_and_from_new_amoebas_as_well() -> None:
    game = dividing(PARENTS)
    game.act("space 12", "amoeba 3")
    assert game.asks == ("divide", 3)
    assert game.legal == {*("space 8", "space 11", "space 14", "space 17", "space 19"), "pass"}
    game.act("space 8", "amoeba 4")
    assert game.bp(3) == 2
    assert game.asks == ("divide", 2)  # 2 BP are not enough for a third one


def test_spores_divide_into_any_space_without_an_own_amoeba() -> None:
    game = dividing("1: 3.3; 13: 3.1; 18: 3.2", genes={3: ["spores"]})
    assert game.legal == EVERYWHERE - {"space 13", "space 18", "space 1"} | {"pass"}
    game.act("space 10", "amoeba 7")
    assert game.bp(3) == 8


def test_with_no_amoeba_on_the_board_one_is_free_on_any_space() -> None:
    game = dividing(bp={3: 0}, income=0)
    assert game.asks == ("divide", 3)
    assert game.legal == EVERYWHERE | {"pass"}
    game.act("space 13", "amoeba 1")
    assert game.space("3.1") == 13
    assert game.bp(3) == 0
    assert game.asks == ("divide", 2)


@pytest.mark.parametrize(("genes", "price"), [([], 6), (["division_rate"], 4)])
def test_which_case_holds_is_judged_anew_before_each_division_r11(genes: list[str], price: int) -> None:
    game = dividing(bp={3: 10}, genes={3: genes})
    game.act("space 1", "amoeba 4")  # none on the board: free
    assert game.bp(3) == 20
    assert game.legal == EVERYWHERE - {"space 1"} | {"pass"}
    game.act("space 18", "amoeba 2")  # exactly one: anywhere, at the usual price
    assert game.bp(3) == 20 - price
    # Two, in 1 and 18: next to them.
    assert game.legal == {"space 3", "space 13", "space 17", "space 19", "pass"}


def test_with_exactly_one_and_too_few_bp_nothing_is_asked() -> None:
    game = dividing("13: 3.1", bp={3: 0}, income=5)
    assert game.asks == ("divide", 2)
    assert game.bp(3) == 5


def test_with_all_amoebas_on_the_board_nothing_is_asked() -> None:
    game = dividing("1: 3.1; 2: 3.2; 3: 3.3; 4: 3.4; 5: 3.5; 6: 3.6; 7: 3.7", bp={3: 50})
    assert game.asks == ("divide", 2)


def test_the_last_amoeba_is_taken_without_asking_for_its_number() -> None:
    game = dividing("1: 3.1; 2: 3.2; 3: 3.3; 4: 3.5; 5: 3.6; 6: 3.7")
    game.act("space 9")
    assert game.space("3.4") == 9
    assert game.asks == ("divide", 2)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_prices_of_division_by_player_count_r2(players: int) -> None:
    leader = players - 1
    for genes, price in (([], 6), (["division_rate"], 4)):
        board = f"13: {leader}.1; 18: {leader}.2"
        game = dividing(board, players=players, genes={leader: genes}, bp={leader: 0})
        income = game.bp(leader)
        game.act("space 14")
        assert game.bp(leader) == income - price


def test_an_amoeba_that_left_the_board_comes_back_without_dp() -> None:
    game = position("13: 0.1 1.1", damage={"1.1": 1}, genes={0: ["struggle_for_survival"]})
    game.act("drift", "attack 1.1")
    game.turn_up("south", 13)
    game.pass_until(("divide", 1))
    game.act("space 3", "amoeba 1")
    assert (game.space("1.1"), game.damage("1.1")) == (3, 0)
