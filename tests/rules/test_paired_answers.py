"""Defence, paired_answers_once: who owns both Defense and Escape uses each once a round (rules.md section 7, R16)."""

from collections.abc import Iterable
from functools import partial

import pytest

from support.positions import BOTH, Position, in_both_editions, position, struggling

BOTH_ANSWERS = ("defense", "escape")

#: 1.1, whose owner has both answers, shares the space of 0.1, which is about to attack.
at_feeding = partial(struggling, victim=BOTH_ANSWERS)

with_and_without = pytest.mark.parametrize("once", [True, False])


def assert_answers(game: Position, player: int, *answers: str) -> None:
    assert game.asks == ("defend", player)
    assert game.legal == {*answers, "pass"}


# ---- against whomever, with whichever amoeba


@in_both_editions
@with_and_without
def test_an_answer_against_two_attackers_of_one_player(edition: str, once: bool) -> None:
    game = at_feeding(edition=edition, paired_answers_once=once, board="13: 0.1 0.2 1.1 1.2")
    game.act("attack 1.1", "defense", "fight defender")
    game.act("drift", "attack 1.2")  # 0.2 attacks another amoeba of player 1
    assert_answers(game, 1, *(["escape"] if once else BOTH_ANSWERS))


@in_both_editions
@with_and_without
@pytest.mark.parametrize("players", [3, 4, 6])
def test_an_answer_against_attackers_of_two_players(edition: str, once: bool, players: int) -> None:
    # Track: 0, 2, 1, ...
    game = at_feeding(
        players=players,
        edition=edition,
        paired_answers_once=once,
        markers=(1, 3, 2, *range(4, players + 1)),
        genes={2: ["struggle_for_survival"]},
        board="13: 0.1 1.1 2.1",
    )
    game.act("attack 1.1", "defense", "fight defender")
    game.act("drift", "attack 1.1")  # 2.1
    assert_answers(game, 1, *(["escape"] if once else BOTH_ANSWERS))


@in_both_editions
@with_and_without
def test_an_answer_against_the_second_attempt_of_endurance(edition: str, once: bool) -> None:
    game = at_feeding("endurance", edition=edition, paired_answers_once=once)
    game.act("attack 1.1", "defense", "fight defender", "attack 1.1")
    assert_answers(game, 1, *(["escape"] if once else BOTH_ANSWERS))


@in_both_editions
@with_and_without
@pytest.mark.parametrize("first", BOTH_ANSWERS)
def test_both_answers_against_one_attack_in_any_order_each_once(edition: str, once: bool, first: str) -> None:
    game = at_feeding(edition=edition, paired_answers_once=once)
    game.act("attack 1.1")
    assert_answers(game, 1, *BOTH_ANSWERS)
    game.act(first)
    if first == "defense":
        game.fight("attacker")
        assert_answers(game, 1, "escape")
        game.act("escape", "die 5")
    else:
        game.roll(5)
        assert_answers(game, 1, "defense")
        game.act("defense", "fight attacker")
    assert game.space("1.1") is None
    assert game.bp(1) == 2


@in_both_editions
def test_an_answer_is_used_up_when_it_is_chosen(edition: str) -> None:
    game = at_feeding("endurance", edition=edition, paired_answers_once=True)
    game.act("attack 1.1", "escape")
    game.roll(5)  # failed, but used up
    assert_answers(game, 1, "defense")
    game.act("defense", "fight defender", "attack 1.1")
    assert game.space("1.1") is None


@in_both_editions
def test_each_player_has_his_own_answers(edition: str) -> None:
    game = at_feeding(
        "endurance",
        edition=edition,
        paired_answers_once=True,
        genes={2: BOTH_ANSWERS},
        cards={"defense": 2, "escape": 2},
        board="13: 0.1 1.1 2.1",
    )
    game.act("attack 1.1", "defense", "fight defender", "attack 2.1")
    assert_answers(game, 2, *BOTH_ANSWERS)


# ---- who owns only one of them


@in_both_editions
@with_and_without
@pytest.mark.parametrize("answer", BOTH_ANSWERS)
def test_who_owns_one_alone_is_not_restricted_beyond_the_one_attack(edition: str, once: bool, answer: str) -> None:
    game = at_feeding(
        edition=edition, paired_answers_once=once, victim=(answer,), bp={0: 9, 1: 9}, board="13: 0.1 0.2 1.1 1.2 1.3"
    )
    for victim in ("1.1", "1.2"):
        if victim == "1.2":
            game.act("drift")  # 0.2
        game.act(f"attack {victim}", answer)
        if answer == "defense":
            game.fight("defender")
        else:
            game.roll(1)
    assert (game.space("1.1"), game.space("1.2")) == ((13, 13) if answer == "defense" else (12, 12))


# ---- phases 1 and 5 together, the next round, genes bought and lost in between


def against_aggression(edition: str, once: bool, owned: Iterable[str] = BOTH_ANSWERS, **options: object) -> Position:
    """0.1, whose owner has Aggression, stands with 1.1, whose owner has these genes."""
    genes = {0: ["aggression"], 1: owned}
    switches = {"paired_answers_once": once, "hungry_aggressor": False}
    return position(BOTH, **{"edition": edition, "genes": genes, "bp": {0: 9, 1: 20}, **switches, **options})


def answered_in_phase_1(edition: str, *answers: str, once: bool = True, **options: object) -> Position:
    """Player 1 has answered in phase 1 against player 0, who may attack again in phase 5; the card is still to come."""
    game = against_aggression(edition, once, **options)
    game.act("drift", "attack 1.1")
    for number, answer in enumerate(answers):
        game.act(answer)
        is_last = number == len(answers) - 1
        if answer == "defense":
            game.fight("defender" if is_last else "attacker")
        else:
            game.roll(5)  # failed: another answer must follow
    game.act("drift")
    assert game.asks == "card"
    return game


@in_both_editions
@with_and_without
def test_phases_1_and_5_count_together(edition: str, once: bool) -> None:
    game = answered_in_phase_1(edition, "defense", once=once)
    game.turn_up("south", 13)
    game.pass_until(("aggress", 0))
    game.act("attack 1.1")
    assert_answers(game, 1, *(["escape"] if once else BOTH_ANSWERS))


@in_both_editions
def test_who_has_used_both_is_not_asked_any_more(edition: str) -> None:
    game = answered_in_phase_1(edition, "escape", "defense")
    game.turn_up("south", 13)
    game.pass_until(("aggress", 0))
    game.act("attack 1.1")
    assert game.space("1.1") is None


@in_both_editions
@with_and_without
def test_the_next_round_is_free(edition: str, once: bool) -> None:
    game = answered_in_phase_1(edition, "defense", once=once)
    game.turn_up("south", 13)
    game.pass_until(("aggress", 0))
    game.act("pass")
    assert game.games.rounds[0] == 3
    game.act("move", "die 5", "attack 1.1")
    assert_answers(game, 1, *BOTH_ANSWERS)


@in_both_editions
@with_and_without
def test_the_answers_of_phase_5_are_free_again_in_the_next_round(edition: str, once: bool) -> None:
    game = against_aggression(edition, once, phase=5)
    game.act("attack 1.1", "defense", "fight defender")
    assert game.games.rounds[0] == 3
    game.act("move", "die 5", "attack 1.1")
    assert_answers(game, 1, *BOTH_ANSWERS)


def answer_once(game: Position, answer: str) -> None:
    """1.1 beats an attack of 0.1 off, or escapes to 12 and comes back when it moves; the card is still to come."""
    game.act("drift", "attack 1.1", answer)
    game.act(*(["fight defender", "drift"] if answer == "defense" else ["die 1", "move", "die 3"]))


@in_both_editions
@with_and_without
@pytest.mark.parametrize(("owned", "bought"), [("defense", "escape"), ("escape", "defense")])
def test_an_answer_counts_even_if_its_owner_had_it_alone_at_that_time(
    edition: str, once: bool, owned: str, bought: str
) -> None:
    # Phase 1: player 1 owns one of the two and uses it; phase 3: he buys the other one; phase 5: he owns both.
    game = against_aggression(edition, once, [owned])
    answer_once(game, owned)
    game.turn_up("south", 13)
    game.pass_until(("buy", 1))
    game.act(f"buy {bought}")
    game.pass_until(("aggress", 0))
    game.act("attack 1.1")
    assert_answers(game, 1, *([bought] if once else BOTH_ANSWERS))


@in_both_editions
@with_and_without
@pytest.mark.parametrize(("used", "lost"), [("defense", "escape"), ("escape", "defense")])
def test_who_has_lost_one_of_the_two_is_not_restricted_any_more(edition: str, once: bool, used: str, lost: str) -> None:
    # Phase 1: player 1 owns both and uses one; phase 2: he discards the other one; phase 5: he owns one alone.
    game = against_aggression(edition, once, turned_up=[("south", 13)])
    answer_once(game, used)
    game.turn_up("west", 6)  # 7 or 8 MP: player 1 owes 1 or 2
    assert game.asks == ("defect", 1)
    game.act(f"discard {lost}")
    game.pass_until(("aggress", 0))
    game.act("attack 1.1")
    assert_answers(game, 1, used)


@in_both_editions
def test_a_card_lost_and_bought_again_does_not_renew_its_answer(edition: str) -> None:
    game = answered_in_phase_1(edition, "defense", turned_up=[("south", 13)])
    game.turn_up("west", 6)
    game.act("discard defense")
    game.pass_until(("buy", 1))
    game.act("buy defense")
    game.pass_until(("aggress", 0))
    game.act("attack 1.1")
    assert_answers(game, 1, "escape")


@in_both_editions
def test_an_owner_of_armour_and_one_answer_owns_one_alone(edition: str) -> None:
    genes = {0: ["aggression", "endurance"], 1: ["armour", "defense"]}
    game = against_aggression(edition, once=True, same_victim=True, phase=5, genes=genes)
    game.act("attack 1.1", "defense", "fight defender", "attack 1.1")
    assert_answers(game, 1, "defense")
