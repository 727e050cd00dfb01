"""Phase 5: the second attempt of Aggression, and hunger after a lost fight (rules.md section 7, R12 and R13)."""

import pytest

from support.positions import BOTH, Position, aggressing, in_both_editions, position

THREE = "13: 0.1 1.1 2.1"
LOST = ["attack 1.1", "defense", "fight defender"]

with_and_without = pytest.mark.parametrize("switch", [True, False])


def lose(game: Position, victim: str = "1.1") -> None:
    """An attack that the victim's Defense beats off."""
    game.act(f"attack {victim}", *LOST[1:])


def two_aggressors(*owned: str, board: str = BOTH, **options: object) -> Position:
    """Player 1 with these genes is the first aggressor, then player 0, who has Defense."""
    genes = {0: ["aggression", "defense"], 1: ["aggression", *owned]}
    return position(board, phase=5, genes=genes, cards={"aggression": 2}, **options)


def is_over(game: Position) -> bool:
    """Has the next round begun, with nobody left to attack?"""
    return int(game.games.rounds[0]) == 3


@in_both_editions
@with_and_without
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_second_attempt_where_nobody_has_moved(players: int, switch: bool, edition: str) -> None:
    game = aggressing(
        "endurance", victim=("defense",), players=players, edition=edition, same_victim=switch, bp={0: 1}, board=THREE
    )
    lose(game)
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.1", "pass"} | (set() if switch else {"attack 2.1"})
    assert game.under_way["attacker"] == "0.1"
    assert game.under_way["victim"] == ("1.1" if switch else None)
    game.act("attack 1.1", "pass")
    assert game.bp(0) == 0  # the second attempt is free
    assert game.space("1.1") is None


ESCAPED = ["attack 1.1", "escape", "die 1"]  # from 13 to 12


@in_both_editions
@with_and_without
@pytest.mark.parametrize(
    ("victim", "board", "course", "again", "others"),
    [
        pytest.param(["defense"], "13: 0.1 1.1 1.4", LOST, {"1.1"}, {"1.4"}, id="another amoeba of the same owner"),
        pytest.param(["defense"], "13: 0.1 0.2 1.1", LOST, {"1.1"}, set(), id="own amoebas are no victims"),
        pytest.param(["armour", "defense"], THREE, LOST, {"1.1"}, {"2.1"}, id="Armour is no hindrance"),
        pytest.param(["escape"], THREE, [*ESCAPED, "pass"], set(), {"2.1"}, id="the victim has gone"),
        pytest.param(
            ["escape"], "12: 0.2; 13: 0.1 1.1", [*ESCAPED, "pass"], set(), set(), id="no other own amoeba takes over"
        ),
        pytest.param(
            ["escape"], "12: 3.1; 13: 0.1 0.2 1.1 2.1", [*ESCAPED, "cling", "pass"], {"1.1"}, {"3.1"}, id="both in 12"
        ),
        pytest.param(
            ["escape", "speed"],
            "12: 2.1; 13: 0.1 1.1",
            [*ESCAPED, "cling", "again", "die 3", "pass"],
            set(),
            {"2.1"},
            id="the attacker in 12, the victim back",
        ),
    ],
)
def test_the_second_attempt_is_made_where_the_attacker_stands(
    victim: list[str], board: str, course: list[str], again: set[str], others: set[str], switch: bool, edition: str
) -> None:
    """At the same victim if it is there, ``again``; without the switch at others, too."""
    options = {"edition": edition, "early_clinging": False, "same_victim": switch}
    game = aggressing("endurance", "holding", victim=tuple(victim), board=board, **options)
    game.act(*course)
    victims = again if switch else again | others
    assert is_over(game) == (not victims)
    if victims:
        assert game.legal == {f"attack {amoeba}" for amoeba in victims} | {"pass"}


@with_and_without
def test_the_second_attempt_is_the_last_one(switch: bool) -> None:
    game = aggressing("endurance", same_victim=switch, victim=("defense",), board=THREE)
    lose(game)
    lose(game)
    assert is_over(game)


@with_and_without
def test_same_victim_says_nothing_about_phase_1(switch: bool) -> None:
    game = position(
        THREE, same_victim=switch, genes={0: ["struggle_for_survival", "endurance"], 1: ["defense"]}, bp={0: 9}
    )
    game.act("drift")
    lose(game)
    assert game.legal == {"attack 1.1", "attack 2.1", "starve"}


@with_and_without
def test_the_next_aggressor_may_attack_anybody(switch: bool) -> None:
    # Descending: 1, then 0. Player 1 fails against 2.1; the victim is forgotten when his turn is over.
    game = position(
        THREE,
        phase=5,
        same_victim=switch,
        markers=(2, 3, 1, 4),
        genes={0: ["aggression"], 1: ["aggression", "endurance"], 2: ["defense"]},
        cards={"aggression": 2},
    )
    lose(game, "2.1")
    game.act("pass")
    assert game.asks == ("aggress", 0)
    assert game.legal == {"attack 1.1", "attack 2.1", "pass"}


@in_both_editions
@with_and_without
def test_nothing_of_a_turn_is_left_in_the_state_when_it_is_over(switch: bool, edition: str) -> None:
    game = two_aggressors("endurance", edition=edition, hungry_aggressor=switch)
    lose(game, "0.1")
    game.act("pass")
    assert game.asks == ("aggress", 0)
    assert game.under_way == {"attacker": None, "victim": None, "attempts": 0, "lost_fight": 0}


@in_both_editions
@with_and_without
def test_a_lost_fight_makes_the_aggressor_hungry(switch: bool, edition: str) -> None:
    game = aggressing(edition=edition, hungry_aggressor=switch, victim=("defense",))
    lose(game)
    assert is_over(game)
    assert game.damage("0.1") == int(switch)
    assert game.food(13) == (0, 0, 0, 0)


@in_both_editions
@pytest.mark.parametrize("second_try", [["pass"], LOST], ids=["declined", "lost"])
def test_hunger_is_1_dp_when_the_turn_is_over_not_before(second_try: list[str], edition: str) -> None:
    game = aggressing("endurance", "life_expectancy", edition=edition, hungry_aggressor=True, victim=("defense",))
    lose(game)
    assert game.asks == ("aggress", 0)
    assert game.damage("0.1") == 0
    game.act(*second_try)
    assert is_over(game)
    assert game.damage("0.1") == 1


@in_both_editions
@pytest.mark.parametrize(
    ("owned", "victim", "course", "left"),
    [
        pytest.param([], [], ["pass"], (13, 0), id="without an attack"),
        pytest.param([], ["defense"], ["attack 1.1", "defense", "fight attacker"], (None, 0), id="a success"),
        pytest.param(["endurance"], ["escape"], ["attack 1.1", "escape", "die 1"], (12, 0), id="an escape alone"),
        pytest.param(["endurance"], ["defense"], [*LOST, "attack 1.1", "pass"], (None, 0), id="a second try succeeds"),
        pytest.param(["endurance"], ["armour", "defense"], [*LOST, "attack 1.1", "pass"], (13, 1), id="it hits armour"),
        pytest.param([], ["armour", "defense"], ["attack 1.1", "defense", "fight attacker"], (13, 1), id="a first one"),
    ],
)
def test_no_hunger_after(
    owned: list[str], victim: list[str], course: list[str], left: tuple[int | None, int], edition: str
) -> None:
    game = aggressing(*owned, edition=edition, hungry_aggressor=True, victim=tuple(victim))
    game.act(*course)
    assert is_over(game)
    assert (game.space("1.1"), game.damage("1.1")) == left
    assert game.damage("0.1") == 0


@in_both_editions
@pytest.mark.parametrize("lost", [1, 2])
def test_a_second_try_that_is_escaped_from_does_not_help(edition: str, lost: int) -> None:
    # Which of the two attempts is lost in a fight, and which by escape, does not matter.
    game = aggressing(
        "endurance",
        "holding",
        edition=edition,
        early_clinging=False,
        hungry_aggressor=True,
        paired_answers_once=False,
        victim=("defense", "escape"),
        bp={1: 9},
    )
    for attempt in (1, 2):
        if attempt == lost:
            lose(game)
        else:
            game.act("attack 1.1", "escape", "die 1")
            game.act("cling")  # both move on
    assert is_over(game)
    assert (game.space("0.1"), game.damage("0.1")) == (12, 1)


@in_both_editions
@pytest.mark.parametrize(("damage", "genes", "dies"), [(0, (), False), (1, (), True), (1, ("life_expectancy",), False)])
def test_the_hungry_aggressor_dies_now_if_its_dp_are_deadly(
    edition: str, damage: int, genes: tuple[str, ...], dies: bool
) -> None:
    game = aggressing(
        *genes, edition=edition, hungry_aggressor=True, victim=("defense",), damage={"0.1": damage}, death_food=1
    )
    lose(game)
    assert is_over(game)
    assert game.space("0.1") == (None if dies else 13)
    assert game.damage("0.1") == (0 if dies else damage + 1)
    assert game.food(13) == ((1, 1, 1, 1) if dies else (0, 0, 0, 0))


@in_both_editions
@pytest.mark.parametrize("players", [3, 5, 6])
def test_it_dies_where_it_stands_after_having_been_dragged(players: int, edition: str) -> None:
    game = aggressing(
        "endurance",
        "holding",
        players=players,
        edition=edition,
        early_clinging=False,
        paired_answers_once=False,
        hungry_aggressor=True,
        victim=("defense", "escape"),
        damage={"0.1": 1},
    )
    lose(game)
    game.act("attack 1.1", "escape", "die 1", "cling")
    assert game.space("0.1") is None
    assert game.food(13) == (0,) * players
    assert game.food(12) == (2,) * players


@in_both_editions
def test_it_dies_before_the_next_aggressor_is_asked(edition: str) -> None:
    game = two_aggressors(edition=edition, hungry_aggressor=True, board="13: 0.1 1.1 1.2", damage={"1.1": 1})
    assert game.asks == ("aggress", 1)
    lose(game, "0.1")
    assert game.asks == ("aggress", 0)
    assert game.space("1.1") is None
    assert game.legal == {"attack 1.2", "pass"}


@in_both_editions
def test_the_attacking_amoeba_gets_the_dp_and_no_other(edition: str) -> None:
    game = aggressing(edition=edition, hungry_aggressor=True, victim=("defense",), board="1: 0.1 2.1; 13: 0.3 0.5 1.1")
    lose(game)
    assert [game.damage(amoeba) for amoeba in ("0.1", "0.3", "0.5", "1.1")] == [0, 1, 0, 0]


@in_both_editions
def test_the_hunger_of_one_aggressor_is_not_that_of_the_next(edition: str) -> None:
    game = two_aggressors(edition=edition, hungry_aggressor=True)
    lose(game, "0.1")
    game.act("pass")
    assert (game.damage("0.1"), game.damage("1.1")) == (0, 1)


@in_both_editions
@with_and_without
def test_the_next_meal_is_not_spoilt(switch: bool, edition: str) -> None:
    game = aggressing(edition=edition, hungry_aggressor=switch, victim=("defense",), board="13: 0.1 1.1 cubes 0-2-2-2")
    lose(game)
    game.act("drift")
    assert game.food(13) == (2, 1, 1, 1)


@in_both_editions
@with_and_without
def test_hunger_in_phase_1_is_as_always(switch: bool, edition: str) -> None:
    game = position(BOTH, edition=edition, hungry_aggressor=switch, genes={0: ["aggression"], 1: ["defense"]})
    game.act("drift")
    lose(game)
    assert game.damage("0.1") == 1
