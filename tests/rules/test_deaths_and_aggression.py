"""Phase 5: deaths, then Aggression (rules.md section 7)."""

import pytest

from support.positions import Position, aggressing, position

# ---- deaths


def test_two_damage_points_are_deadly() -> None:
    game = position("1: 2.4; 13: 0.1 1.1", phase=5, damage={"0.1": 1, "1.1": 2, "2.4": 2})
    assert (game.space("0.1"), game.space("1.1"), game.space("2.4")) == (13, None, None)
    assert (game.damage("0.1"), game.damage("1.1")) == (1, 0)
    # 2 cubes of each colour where each of them stood
    assert game.food(13) == (2, 2, 2, 2)
    assert game.food(1) == (2, 2, 2, 2)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_life_expectancy_lives_until_three_r2(players: int) -> None:
    damage, genes = {"0.1": 2, "0.2": 3, "1.1": 2}, {0: ["life_expectancy"]}
    game = position("1: 1.1; 12: 0.2; 13: 0.1", players=players, phase=5, damage=damage, genes=genes)
    assert (game.space("0.1"), game.damage("0.1")) == (13, 2)
    assert (game.space("0.2"), game.space("1.1")) == (None, None)
    assert game.food(12) == game.food(1) == (2,) * players


def test_a_death_places_only_what_the_reserves_hold() -> None:
    game = position("1: cubes 52-54-55-0; 13: 0.1; 14: 1.1", phase=5, damage={"0.1": 2, "1.1": 2})
    # Descending: 1.1 dies before 0.1. Each colour for itself: 3 cubes of colour 0, 1 of colour 1, none of colour 2.
    assert game.food(14) == (2, 1, 0, 2)
    assert game.food(13) == (1, 0, 0, 2)


def test_deaths_come_number_by_number() -> None:
    game = position("1: cubes 0-53-0-0; 13: 0.3; 14: 0.5", phase=5, damage={"0.3": 2, "0.5": 2})
    # 2 cubes of colour 1 are left: 0.3 dies first
    assert game.food(13) == (2, 2, 2, 2)
    assert game.food(14) == (2, 0, 2, 2)


# ---- Aggression


def test_aggression_kills_for_1_bp() -> None:
    game = aggressing()
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.1", "pass"}
    game.act("attack 1.1")
    assert game.bp(0) == 3
    assert game.space("1.1") is None
    assert game.food(13) == (2, 2, 2, 2)  # a death, not a meal: nothing is excreted


def test_aggression_is_no_hunger() -> None:
    game = aggressing(board="13: 0.1 1.1 cubes 9-9-9-9")
    assert game.asks == ("aggress", 0)


def test_aggression_attacks_amoebas_of_other_players_that_share_a_space_with_an_own_one() -> None:
    game = aggressing(board="1: 0.3 2.1; 12: 1.2; 13: 0.1 0.2 1.1 3.1")
    assert game.legal == {"attack 1.1", "attack 2.1", "attack 3.1", "pass"}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"board": "13: 0.1 0.2; 14: 1.1"}, id="without company"),
        pytest.param({"bp": {0: 0}}, id="without 1 BP"),
        pytest.param({"damage": {"0.1": 2}}, id="dead"),
        pytest.param({"genes": {0: ["struggle_for_survival"]}}, id="Struggle for Survival"),
    ],
)
def test_who_does_not_attack_in_phase_5(options: dict) -> None:
    game = aggressing(**options)
    assert game.games.rounds[0] == 3
    assert game.space("1.1") is not None


def test_aggression_with_attack_cost_0_and_0_bp() -> None:
    game = aggressing(bp={0: 0}, attack_cost=0)
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.1", "pass"}
    game.act("attack 1.1")
    assert game.space("1.1") is None


def test_deaths_come_before_aggression() -> None:
    game = aggressing(damage={"1.1": 2}, board="13: 0.1 1.1 2.1")
    assert game.legal == {"attack 2.1", "pass"}


def test_owners_of_aggression_are_asked_in_descending_order_each_once() -> None:
    # Track: 0, 1, 2, 3 (leader)
    game = aggressing(genes={2: ["aggression"]}, cards={"aggression": 2}, board="13: 0.1 1.1 1.2 2.1")
    assert game.asks == ("aggress", 2)
    assert game.legal == {"attack 0.1", "attack 1.1", "attack 1.2", "pass"}
    game.act("attack 1.1")
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.2", "attack 2.1", "pass"}
    game.act("attack 1.2")
    assert game.games.rounds[0] == 3


def test_an_owner_of_aggression_must_have_1_bp_when_his_turn_comes() -> None:
    board = "13: 0.1 1.1 2.1"
    game = aggressing("defense", genes={2: ["aggression"]}, cards={"aggression": 2}, bp={0: 1}, board=board)
    game.act("attack 0.1", "defense")  # the defence costs player 0 the last BP
    game.fight("defender")
    assert game.games.rounds[0] == 3
    assert game.space("1.1") == 13


# ---- defence in phase 5


def test_defence_as_in_phase_1() -> None:
    game = aggressing(victim=("defense", "escape"))
    game.act("attack 1.1")
    assert game.asks == ("defend", 1)
    assert game.legal == {"defense", "escape", "pass"}
    game.act("defense", "fight attacker")
    assert game.legal == {"escape", "pass"}
    game.act("escape", "die 5")
    assert game.space("1.1") is None
    assert game.bp(1) == 2
    assert game.food(13) == (2, 2, 2, 2)


# ---- Armour


@pytest.mark.parametrize(
    ("owned", "damage", "answers", "space", "left"),
    [
        pytest.param([], 0, [], 13, 1, id="1 DP instead of dying"),
        pytest.param([], 1, [], None, 0, id="it dies now if that is deadly"),
        pytest.param(["life_expectancy"], 1, [], 13, 2, id="Life Expectancy lives with 2"),
        pytest.param(["life_expectancy"], 2, [], None, 0, id="and dies at 3"),
        pytest.param(["escape"], 0, ["escape", "die 5"], 13, 1, id="an answer that fails"),
        pytest.param(["escape"], 0, ["escape", "die 1"], 12, 0, id="Escape as anybody's [R5]"),
        pytest.param(["defense"], 0, ["defense", "fight defender"], 13, 0, id="Defense as anybody's [R5]"),
    ],
)
def test_armour(owned: list[str], damage: int, answers: list[str], space: int | None, left: int) -> None:
    game = aggressing(victim=("armour", *owned), damage={"1.1": damage})
    assert game.legal == {"attack 1.1", "pass"}
    game.act("attack 1.1", *answers)
    assert (game.space("1.1"), game.damage("1.1")) == (space, left)
    assert game.bp(0) == 3
    assert game.food(13) == (2 * (space is None),) * 4


def test_a_hit_on_armour_is_no_failure() -> None:
    game = aggressing("endurance", victim=("armour",))
    game.act("attack 1.1")
    assert game.damage("1.1") == 1
    assert game.games.rounds[0] == 3  # no second attack


# ---- the attacker


def two_attackers() -> Position:
    """0.2 and 0.5 share a space with 1.1, which can leave and come back; the attackers' owner has Holding."""
    game = aggressing("holding", victim=("escape", "speed"), board="13: 0.2 0.5 1.1")
    game.act("attack 1.1", "escape", "die 1")
    return game


def test_the_attacker_is_the_lowest_numbered_amoeba_in_that_space_r12() -> None:
    game = two_attackers()
    assert game.asks == ("cling", 0)
    game.act("cling", "pass")  # 0.2 comes along to 12, 0.5 stays in 13
    game.act("again", "die 3", "pass")
    # 1.1 is back with 0.5, but its attacker 0.2 is away: it has escaped [R10].
    assert [game.space(amoeba) for amoeba in ("0.2", "0.5", "1.1")] == [12, 13, 13]


def test_the_other_amoeba_is_not_the_attacker_r12() -> None:
    game = two_attackers()
    game.act("pass", "cling")  # 0.5 comes along to 12, 0.2 stays in 13
    game.act("again", "die 3", "pass")
    # 1.1 is back with its attacker 0.2: it has not escaped.
    assert [game.space(amoeba) for amoeba in ("0.2", "0.5", "1.1")] == [13, 12, None]


def test_the_lowest_number_is_that_of_the_victims_space_r12() -> None:
    game = aggressing("holding", victim=("escape", "speed"), board="1: 0.1 2.1; 13: 0.4 1.1")
    game.act("attack 1.1", "escape", "die 1")
    assert game.asks == ("cling", 0)
    game.act("cling", "again", "die 3", "pass")
    assert [game.space(amoeba) for amoeba in ("0.1", "0.4", "1.1")] == [1, 12, 13]


# ---- the second attack of Endurance


def test_there_is_no_second_attack_after_a_success() -> None:
    game = aggressing("endurance", board="13: 0.1 1.1 2.1")
    game.act("attack 1.1")
    assert game.games.rounds[0] == 3


def test_the_second_attack_is_the_same_amoebas_where_it_now_stands_r12() -> None:
    game = aggressing(
        "endurance", "holding", same_victim=False, victim=("escape",), board="1: 0.1 2.2; 12: 3.1; 13: 0.2 0.5 1.1 2.1"
    )
    game.act("attack 1.1", "escape", "die 1", "cling", "pass")
    # The attacker 0.2 stands in 12 now, with 1.1 and 3.1. 0.5 with 2.1 and 0.1 with 2.2 cannot attack.
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.1", "attack 3.1", "pass"}
    game.act("attack 3.1")
    assert game.food(12) == (2, 2, 2, 2)


def test_the_attacker_of_the_second_attack_has_not_the_lowest_number_of_its_new_space_r12() -> None:
    game = aggressing("endurance", "holding", victim=("escape", "speed"), board="12: 0.1; 13: 0.2 1.1")
    game.act("attack 1.1", "escape", "die 1", "cling", "pass")
    # 0.1, the attacker 0.2 and 1.1 are in 12 now.
    game.act("attack 1.1", "escape", "die 1")
    game.act("pass", "cling", "again")  # 0.1 stays in 12, 0.2 comes along to 11
    game.act("die 3", "pass")
    # 1.1 is back with 0.1, but its attacker is away: it has escaped [R10].
    assert [game.space(amoeba) for amoeba in ("0.1", "0.2", "1.1")] == [12, 11, 12]


def test_endurance_has_its_second_attack_in_phase_1_and_in_phase_5() -> None:
    game = position("13: 0.1 1.1", genes={0: ["aggression", "endurance"], 1: ["defense"]}, bp={0: 2, 1: 9})
    game.act("drift")
    for _ in range(2):
        game.act("attack 1.1", "defense", "fight defender")
    assert game.damage("0.1") == 1
    game.act("drift")
    game.turn_up("south", 13)
    game.pass_until(("aggress", 0))
    for _ in range(2):
        game.act("attack 1.1", "defense", "fight defender")
    assert game.games.rounds[0] == 3
    assert game.space("1.1") == 13
