"""Phase 1b: attack and defence (rules.md section 7)."""

import pytest

from support.positions import position, struggling

# ---- attack


def test_struggle_for_survival_kills_and_feeds() -> None:
    game = struggling(damage={"1.1": 1})
    assert game.legal == {"attack 1.1", "starve"}
    game.act("attack 1.1")
    # One cube of each colour in play is placed, nothing is excreted, the attacker has fed.
    assert game.food(13) == (1, 1, 1, 1)
    assert game.damage("0.1") == 0
    assert game.bp(0) == 3
    # The victim has left the board, lost its DP and acts no more this round.
    assert game.space("1.1") is None
    assert game.damage("1.1") == 0
    assert game.asks == "card"


def test_aggression_attacks_in_phase_1_like_struggle_for_survival() -> None:
    game = position("13: 0.1 1.1", genes={0: ["aggression"]})
    game.act("drift")
    assert game.legal == {"attack 1.1", "starve"}
    game.act("attack 1.1")
    assert game.food(13) == (1, 1, 1, 1)
    assert game.space("1.1") is None


def test_a_kill_places_only_what_the_reserves_hold() -> None:
    game = struggling(board="1: cubes 0-0-55-0; 13: 0.1 1.1")
    game.act("attack 1.1")
    assert game.food(13) == (1, 1, 0, 1)


@pytest.mark.parametrize(("players", "number"), [(3, 0), (5, 1), (6, 2)])
def test_a_kill_places_cubes_of_each_colour_in_play_r15(players: int, number: int) -> None:
    game = struggling(players=players, kill_food=number)
    game.act("attack 1.1")
    assert game.food(13) == (number,) * players


def test_no_attack_without_1_bp() -> None:
    game = position("13: 0.1 1.1", genes={0: ["struggle_for_survival"]}, bp={0: 0})
    assert game.damage("0.1") == 1
    assert game.asks == ("move", 1)


def test_no_attack_without_hunger() -> None:
    game = position("13: 0.1 1.1 cubes 0-1-1-1", genes={0: ["struggle_for_survival"]})
    game.act("drift")
    assert game.asks == ("move", 1)
    assert game.food(13) == (2, 0, 0, 0)


def test_a_free_attack_with_0_bp_where_the_ruleset_says_so() -> None:
    game = position("13: 0.1 1.1", genes={0: ["struggle_for_survival"]}, bp={0: 0}, attack_cost=0)
    assert game.asks == ("feed", 0)
    assert game.legal == {"attack 1.1", "starve"}


def test_any_other_amoeba_in_the_space_own_ones_included() -> None:
    game = struggling(board="12: 1.2; 13: 0.1 0.3 1.1 3.7; 14: 3.6")
    assert game.legal == {"attack 0.3", "attack 1.1", "attack 3.7", "starve"}
    game.act("attack 0.3")
    assert game.space("0.3") is None
    assert game.asks == ("move", 1)  # 0.3 does not act any more


def test_owners_of_armour_cannot_be_attacked() -> None:
    game = struggling(genes={2: ["armour", "escape"]}, board="13: 0.1 1.1 2.1")
    assert game.legal == {"attack 1.1", "starve"}


def test_own_armour_protects_against_oneself_r14() -> None:
    game = struggling("armour", board="13: 0.1 0.2 1.1")
    assert game.legal == {"attack 1.1", "starve"}


def test_each_amoeba_has_one_attempt() -> None:
    game = struggling(victim=("escape",), board="13: 0.1 0.2 1.1 1.2")
    game.act("attack 1.1", "escape", "die 1")
    assert game.damage("0.1") == 1  # 1.2 is still there, but this was 0.1's attempt
    game.act("drift")
    assert game.asks == ("feed", 0)  # 0.2 has one of its own
    assert game.legal == {"attack 0.1", "attack 1.2", "starve"}
    game.act("attack 0.1")
    assert game.bp(0) == 2


def test_an_attack_is_paid_before_defend_is_asked() -> None:
    game = struggling(victim=("defense",))
    game.act("attack 1.1")
    assert game.asks == ("defend", 1)
    assert game.bp(0) == 3


# ---- Defense


def test_defense_costs_what_the_ruleset_says() -> None:
    game = struggling(victim=("defense",), defense_cost=0, bp={1: 0})
    game.act("attack 1.1")
    assert game.asks == ("defend", 1)


def test_after_a_lost_fight_the_attacker_cannot_eat_with_genes_either() -> None:
    game = struggling("frugality", victim=("defense",), board="13: 0.1 1.1 cubes 0-1-1-0")
    assert game.legal == {"eat", "attack 1.1", "starve"}
    game.act("attack 1.1", "defense", "fight defender")
    assert game.damage("0.1") == 1
    assert game.food(13) == (0, 1, 1, 0)
    assert game.asks == ("move", 1)


def test_a_lost_fight_is_no_concern_of_the_next_amoeba() -> None:
    game = struggling("frugality", victim=("defense",), board="13: 0.1 0.2 1.1 cubes 0-1-1-0")
    game.act("attack 1.1", "defense", "fight defender")
    game.act("drift")  # 0.2
    assert game.asks == ("feed", 0)
    assert game.legal == {"eat", "attack 0.1", "attack 1.1", "starve"}
    assert game.bp(0) == 3


def test_endurance_rolls_it_only_once_more() -> None:
    game = struggling(victim=("defense", "endurance", "escape"))
    game.act("attack 1.1", "defense", "fight attacker", "fight attacker")
    assert game.asks == ("defend", 1)  # this answer has failed
    assert game.legal == {"escape", "pass"}


# ---- Escape


def test_escape_is_paid_before_its_dice() -> None:
    game = struggling(victim=("escape",))
    game.act("attack 1.1")
    assert game.legal == {"escape", "pass"}
    game.act("escape")
    assert game.asks == "die"
    assert game.bp(1) == 3


def test_after_an_escape_the_attacker_may_still_eat_with_genes_but_not_attack() -> None:
    game = struggling("frugality", victim=("escape",), board="13: 0.1 1.1 2.1 cubes 0-1-1-0")
    game.act("attack 1.1", "escape", "die 1")
    assert game.asks == ("feed", 0)
    assert game.legal == {"eat", "starve"}
    game.act("eat")
    assert game.food(13) == (2, 0, 0, 0)


def test_escape_with_movement_1_and_movement_2() -> None:
    game = struggling(victim=("escape", "movement_1"))
    game.act("attack 1.1", "escape")
    assert game.asks == "dice"
    game.roll(1, 5)
    assert game.asks == ("direction", 1)
    assert game.legal == {"west", "stay"}

    game = struggling(victim=("escape", "movement_2"))
    game.act("attack 1.1", "escape")
    assert game.asks == ("direction", 1)
    assert game.legal == {"west", "east", "south", "stay"}


def test_escape_with_tentacle_takes_cubes_along() -> None:
    game = struggling("frugality", victim=("escape", "tentacle"), board="13: 0.1 1.1 cubes 0-1-1-0")
    game.act("attack 1.1", "escape", "die 1")
    assert game.asks == ("carry", 1)
    game.act("carry 1", "pass")
    assert game.food(12) == (0, 1, 0, 0)
    assert game.damage("0.1") == 1  # its frugal meal is gone


def test_others_cling_to_the_escaping_amoeba() -> None:
    game = struggling(victim=("escape",), genes={2: ["holding"]}, board="13: 0.1 1.1 1.2 2.1")
    game.act("attack 1.1", "escape", "die 1")
    assert game.asks == ("cling", 2)
    game.act("cling")
    assert [game.space(amoeba) for amoeba in ("0.1", "1.1", "1.2", "2.1")] == [13, 12, 13, 12]


@pytest.mark.parametrize(
    ("course", "spaces"),
    [
        pytest.param(["cling", "pass"], (12, 12), id="both away"),
        pytest.param(["cling", "again", "die 3", "pass"], (12, 13), id="the attacker away, the victim back"),
        pytest.param(["cling", "again", "die 3", "cling"], (13, None), id="both back"),
    ],
)
def test_who_stands_with_its_attacker_where_it_was_attacked_has_not_escaped_r10(
    course: list[str], spaces: tuple[int, int | None]
) -> None:
    game = struggling("holding", victim=("escape", "speed"))
    game.act("attack 1.1", "escape", "die 1", *course)
    assert (game.space("0.1"), game.space("1.1")) == spaces
    has_escaped = spaces[1] is not None
    assert game.damage("0.1") == has_escaped
    assert game.food(13) == ((0,) * 4 if has_escaped else (1,) * 4)


def test_a_dragged_attacker_eats_any_meal_where_it_now_stands() -> None:
    game = struggling("holding", victim=("escape",), board="12: cubes 0-1-1-1; 13: 0.1 1.1")
    game.act("attack 1.1", "escape", "die 1", "cling")
    assert game.food(12) == (2, 0, 0, 0)
    assert game.damage("0.1") == 0


# ---- both answers


@pytest.mark.parametrize(
    ("victim", "bp", "course", "left"),
    [
        pytest.param(["defense"], 4, ["defense", "fight attacker"], 3, id="a lost fight"),
        pytest.param(["defense"], 4, ["pass"], 4, id="an answer left unused"),
        pytest.param(["defense"], 0, [], 0, id="Defense without 1 BP"),
        pytest.param(["escape"], 0, [], 0, id="Escape without 1 BP"),
        pytest.param(["escape"], 4, ["escape", "die 5"], 3, id="an escape that stays"),
        pytest.param(["escape"], 4, ["escape", "die 2"], 3, id="an escape towards the island"),
        pytest.param(["escape", "speed"], 4, ["escape", "die 1", "again", "die 3"], 3, id="away and back again [R10]"),
        pytest.param(["defense", "escape"], 4, ["defense", "fight attacker", "pass"], 3, id="a second answer unused"),
        pytest.param(["defense", "escape"], 1, ["defense", "fight attacker"], 0, id="a second answer without 1 BP"),
    ],
)
def test_what_does_not_save_the_victim(victim: list[str], bp: int, course: list[str], left: int) -> None:
    game = struggling(victim=tuple(victim), bp={1: bp})
    game.act("attack 1.1", *course)
    assert game.space("1.1") is None
    assert game.bp(1) == left
    assert game.food(13) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("victim", "bp", "course", "space", "left"),
    [
        pytest.param(["defense", "endurance"], 4, ["defense", "fight defender"], 13, 3, id="a fight that is won"),
        pytest.param(  # the second fight follows at once, and is free
            ["defense", "endurance"], 2, ["defense", "fight attacker", "fight defender"], 13, 1, id="a second fight"
        ),
        pytest.param(["escape"], 4, ["escape", "die 1"], 12, 3, id="an escape"),
        pytest.param(["defense", "escape"], 4, ["escape", "die 1"], 12, 3, id="an escape before Defense"),
        pytest.param(["escape", "streamlining"], 0, ["escape", "die 1"], 12, 0, id="Streamlining escapes free"),
        *(
            pytest.param(["escape", gene], 4, ["escape", first, "again", second], space, 3, id=f"{gene}: {first}")
            for gene in ("speed", "endurance")
            for first, second, space in (("die 5", "die 3", 14), ("die 1", "die 1", 11))  # the second step is free
        ),
    ],
)
def test_what_saves_the_victim(victim: list[str], bp: int, course: list[str], space: int, left: int) -> None:
    game = struggling(victim=tuple(victim), bp={1: bp})
    game.act("attack 1.1", *course)
    assert game.space("1.1") == space
    assert game.bp(1) == left
    assert game.damage("0.1") == 1  # nothing to eat: the attacker starves
    assert game.food(13) == (0, 0, 0, 0)
    assert game.asks == ("move", 1)  # an answer is not the amoeba's own action, and no further one is asked


def test_one_may_defend_against_oneself() -> None:
    game = struggling("defense", board="13: 0.1 0.2")
    game.act("attack 0.2")
    assert game.asks == ("defend", 0)
    assert game.legal == {"defense", "pass"}
    game.act("defense")
    assert game.bp(0) == 2  # attack and defence
    game.fight("defender")
    assert (game.damage("0.1"), game.space("0.2")) == (1, 13)


def test_own_amoebas_escape_from_oneself() -> None:
    game = struggling("escape", "holding", board="13: 0.1 0.2")
    game.act("attack 0.2", "escape")
    game.roll(1)  # the attacker is no opponent's amoeba: it is not asked to cling
    assert (game.space("0.1"), game.space("0.2")) == (13, 12)
    assert game.damage("0.1") == 1


# ---- the second attempt of Endurance


def test_the_second_attack_is_free_with_0_bp_in_phase_1() -> None:
    game = struggling("endurance", victim=("defense",), bp={0: 1}, board="13: 0.1 1.1 2.1")
    game.act("attack 1.1", "defense", "fight defender")
    assert game.bp(0) == 0
    assert game.asks == ("feed", 0)
    assert game.legal == {"attack 1.1", "attack 2.1", "starve"}  # any legal target [R9]
    game.act("attack 2.1")
    assert game.bp(0) == 0
    assert game.space("2.1") is None
    assert game.food(13) == (1, 1, 1, 1)
    assert game.damage("0.1") == 0  # a success feeds, also after a lost fight


def test_the_second_attempt_is_a_new_attack_that_may_be_answered_again() -> None:
    game = struggling("endurance", victim=("defense",))
    game.act("attack 1.1", "defense", "fight defender", "attack 1.1")
    assert game.asks == ("defend", 1)
    assert game.legal == {"defense", "pass"}
    game.act("defense")
    assert game.bp(1) == 2
    game.fight("defender")
    assert game.damage("0.1") == 1  # there is no third attempt
    assert game.asks == ("move", 1)


def test_after_a_lost_fight_endurance_may_attack_or_not_but_not_eat_r9() -> None:
    game = struggling("endurance", "frugality", victim=("defense",), board="13: 0.1 1.1 cubes 0-1-1-0")
    game.act("attack 1.1", "defense", "fight defender")
    assert game.legal == {"attack 1.1", "starve"}


def test_after_an_escape_endurance_may_attack_or_eat() -> None:
    game = struggling("endurance", "frugality", victim=("escape",), board="13: 0.1 1.1 2.1 cubes 0-1-1-0")
    game.act("attack 1.1", "escape", "die 1")
    assert game.asks == ("feed", 0)
    assert game.legal == {"eat", "attack 2.1", "starve"}


def test_the_second_attempt_is_made_where_the_attacker_now_stands_r9() -> None:
    game = struggling("endurance", "holding", victim=("escape",), board="12: 3.1; 13: 0.1 1.1 2.1")
    game.act("attack 1.1", "escape", "die 1", "cling")
    # 0.1 and 1.1 are in 12 now, with 3.1.
    assert game.asks == ("feed", 0)
    assert game.legal == {"attack 1.1", "attack 3.1", "starve"}
    game.act("attack 3.1")
    assert game.food(12) == (1, 1, 1, 1)


def test_no_second_attempt_where_the_basic_meal_is_r9() -> None:
    game = struggling("endurance", "holding", victim=("escape",), board="12: cubes 0-1-1-1; 13: 0.1 1.1")
    game.act("attack 1.1", "escape", "die 1", "cling")
    # Its space has a basic meal now, which nobody may decline [R8].
    assert game.food(12) == (2, 0, 0, 0)
    assert game.asks == ("move", 1)


def test_a_lost_fight_is_remembered_after_an_escape() -> None:
    game = struggling(
        "endurance", "holding", victim=("defense",), genes={2: ["escape"]}, board="12: cubes 0-1-1-1; 13: 0.1 1.1 2.1"
    )
    game.act("attack 1.1", "defense")
    game.fight("defender")  # from here on 0.1 cannot eat this round
    game.act("attack 2.1", "escape", "die 1", "cling")
    # The attacker stands in 12 with a whole meal, and starves.
    assert game.space("0.1") == 12
    assert game.food(12) == (0, 1, 1, 1)
    assert game.damage("0.1") == 1
    assert game.asks == ("move", 1)


def test_a_lost_fight_is_forgotten_in_the_next_round() -> None:
    game = struggling(victim=("defense",), board="12: cubes 0-1-1-1; 13: 0.1 1.1")
    game.act("attack 1.1", "defense", "fight defender", "drift")
    game.turn_up("west", 9)
    game.pass_until(("move", 0))
    game.act("drift")
    assert game.space("0.1") == 12
    assert game.food(12) == (2, 0, 0, 0)
