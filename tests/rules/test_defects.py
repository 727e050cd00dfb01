"""Phase 2: environment and gene defects (rules.md section 7)."""

import pytest

from support.positions import Position, position

#   MP 1998: Intelligence 3, Movement I 2, Spores 3, Speed 3, Ray Protection -2, Tentacle 4, Holding 4,
#   Life Expectancy 5, Parasitism 5
EIGHT = ["intelligence", "movement_1", "spores"]


def defects(*owned: str, ozone: tuple[str, int] = ("west", 6), **options: object) -> Position:
    """Player 0 owns these genes; the card has been turned up."""
    game = position(**{"phase": 2, "turned_up": [("south", 13)], "genes": {0: owned}, **options})
    game.turn_up(*ozone)
    return game


def test_a_card_is_turned_up_in_each_phase_2() -> None:
    game = position("13: 0.1", phase=2, card=("east", 8))
    assert game.asks == "card"
    game.turn_up("west", 9)
    game.pass_until(("move", 0))
    game.act("drift")
    assert game.space("0.1") == 12  # the card in force from now on


def test_cards_turned_up_are_never_put_back() -> None:
    # Turned up: none 14, south 13 and one east 10 of two.
    game = position(phase=2, round=3, turned_up=[("south", 13), ("east", 10)])
    outcomes = {tuple(card): probability for card, probability in game.games.chance(0)[1]}
    assert set(outcomes) == {
        *(("west", 6), ("west", 9), ("west", 12), ("east", 8), ("east", 10)),
        *(("north", 9), ("north", 11), ("south", 10)),
    }
    assert all(probability == pytest.approx(1 / 8) for probability in outcomes.values())


def test_the_last_card_is_a_chance_event_too() -> None:
    rest = [*(("west", ozone) for ozone in (9, 12)), ("east", 8), ("east", 10), ("east", 10), ("north", 9)]
    game = position(phase=2, round=10, turned_up=[*rest, ("north", 11), ("south", 10), ("south", 13)])
    # all cards but one have been turned up
    assert game.asks == "card"
    assert game.games.chance(0) == ("card", [(["west", 6], 1.0)])


def test_no_defects_in_round_1() -> None:
    # Player 0: Intelligence 3 + Movement I 2 + Spores 3 = 8 MP > ozone 6
    game = defects(*EIGHT, round=1)
    assert game.asks == ("buy", 3)
    assert game.genes(0) == set(EIGHT)
    assert game.bp(0) == 4


def test_whose_mp_are_greater_than_the_ozone_value_owes_the_difference() -> None:
    # Player 0: 3 + 2 + 3 = 8 MP, ozone 6: debt 2
    game = defects(*EIGHT)
    assert game.asks == ("defect", 0)
    assert game.legal == {"discard intelligence", "discard movement_1", "discard spores", "pay"}
    game.act("pay")
    assert game.bp(0) == 2
    assert game.genes(0) == set(EIGHT)
    assert game.asks == ("buy", 3)


@pytest.mark.parametrize(
    ("owned", "discarded"),
    [
        (["intelligence", "spores"], []),  # 3 + 3 = 6 MP, the ozone value: no defect
        ([*EIGHT, "ray_protection"], []),  # 8 - 2 = 6
        (EIGHT, ["movement_1"]),  # debt 2, which Movement I pays
        (EIGHT, ["spores"]),  # Spores pay 3; what is too much is lost
        # 4 + 5 + 3 - 2 = 10 MP: debt 4, which Ray Protection pays; it stays so though 12 MP are left
        (["holding", "life_expectancy", "spores", "ray_protection"], ["ray_protection"]),
    ],
)
def test_what_is_paid_without_bp(owned: list[str], discarded: list[str]) -> None:
    game = defects(*owned)
    game.act(*(f"discard {gene}" for gene in discarded))
    assert game.asks == ("buy", 3)
    assert game.genes(0) == set(owned) - set(discarded)
    assert game.bp(0) == 4


def test_cards_and_then_the_rest_in_bp() -> None:
    # Player 0: Holding 4 + Movement I 2 + Life Expectancy 5 = 11 MP, ozone 6: debt 5
    game = defects("holding", "movement_1", "life_expectancy", bp={0: 3})
    assert game.legal == {"discard holding", "discard movement_1", "discard life_expectancy"}  # 3 BP are not enough
    game.act("discard movement_1")
    assert game.asks == ("defect", 0)  # 3 left to pay
    assert game.legal == {"discard holding", "discard life_expectancy", "pay"}
    game.act("pay")
    assert game.bp(0) == 0
    assert game.genes(0) == {"holding", "life_expectancy"}


def test_bp_pay_all_the_rest_or_nothing() -> None:
    # Player 0: 8 MP, ozone 6: debt 2, with 1 BP
    game = defects(*EIGHT, bp={0: 1})
    assert game.legal == {"discard intelligence", "discard movement_1", "discard spores"}


def test_the_only_way_to_pay_is_taken_without_asking() -> None:
    # Player 0: one gene of 8 MP, ozone 6, no BP
    game = defects("spores", bp={0: 0}, mutation_points={"spores": 8})
    assert game.genes(0) == set()
    assert game.asks == ("buy", 3)


def test_debts_are_settled_in_descending_order() -> None:
    # Track: 0, 1, 2, 3 (leader). Players 0 and 2 have 8 MP each, ozone 6
    game = defects(genes={0: EIGHT, 2: ["speed", "life_expectancy"]})
    assert game.asks == ("defect", 2)
    game.act("pay")
    assert game.asks == ("defect", 0)


def test_ray_protection_pays_a_part() -> None:
    # Player 0: 4 + 5 + 3 + 2 - 2 = 12 MP, ozone 6: debt 6
    game = defects("holding", "life_expectancy", "spores", "movement_1", "ray_protection", bp={0: 2})
    assert "pay" not in game.legal
    game.act("discard ray_protection")
    assert "pay" in game.legal
    game.act("pay")
    assert game.bp(0) == 0


def test_discarding_another_card_of_negative_mp_raises_the_debt() -> None:
    # Player 0: Intelligence -3, Holding 4, Life Expectancy 5, Movement I 2: 8 MP, ozone 6: debt 2
    game = defects(
        "intelligence", "holding", "life_expectancy", "movement_1", mutation_points={"intelligence": -3}, bp={0: 4}
    )
    assert "pay" in game.legal
    game.act("discard intelligence")
    # the debt is 5 now, with 4 BP
    assert game.asks == ("defect", 0)
    assert game.legal == {"discard holding", "discard life_expectancy", "discard movement_1"}
    game.act("discard life_expectancy")
    assert game.asks == ("buy", 3)
    assert game.bp(0) == 4


def test_with_changed_mp_ray_protection_still_pays_its_own_number() -> None:
    # Player 0: Ray Protection -5, Holding 4, Life Expectancy 5, Spores 3, Speed 3: 10 MP, ozone 6: debt 4
    game = defects(
        "holding",
        "life_expectancy",
        "spores",
        "speed",
        "ray_protection",
        mutation_points={"ray_protection": -5},
        ray_protection_payment=3,
        bp={0: 1},
    )
    assert "pay" not in game.legal
    game.act("discard ray_protection")
    assert "pay" in game.legal  # 1 left
    game.act("pay")
    assert game.bp(0) == 0


def bankrupt(bp: int) -> Position:
    """Player 0 owns Ray Protection alone, of 10 MP, which pays 1 only; ozone 6: debt 4."""
    return defects("ray_protection", bp={0: bp}, mutation_points={"ray_protection": 10}, ray_protection_payment=1)


def test_a_bankrupt_owner_of_a_defect_loses_his_bp_and_the_rest_lapses() -> None:
    # Player 0: 2 BP. The card pays 1 of 4, 3 are left
    game = bankrupt(2)
    assert game.genes(0) == set()
    assert game.bp(0) == 0
    assert game.asks == ("buy", 3)


def test_the_debt_of_a_bankrupt_does_not_come_back() -> None:
    game = bankrupt(2)
    game.pass_until(("divide", 0))
    assert game.bp(0) == 10


def test_without_cards_but_with_enough_bp_he_pays() -> None:
    # Player 0: 3 BP. The card pays 1 of 4, 3 are left
    game = bankrupt(3)
    assert game.bp(0) == 0
    game = bankrupt(9)
    assert game.legal == {"discard ray_protection", "pay"}
    game.act("discard ray_protection")
    assert game.bp(0) == 6


def test_discarded_cards_can_be_bought_again_at_once_by_anybody() -> None:
    # Player 0: 8 MP, ozone 6. There is one card of Spores
    game = defects(*EIGHT)
    assert game.cards_left("spores") == 0
    game.act("discard spores")
    assert game.cards_left("spores") == 1
    assert game.asks == ("buy", 3)
    assert "buy spores" in game.legal
    game.pass_until(("buy", 0))
    assert "buy spores" in game.legal


def test_a_lost_gene_does_not_serve_any_more() -> None:
    # Player 0: Life Expectancy 5 + Speed 3 = 8 MP, ozone 6. Its amoeba has 2 DP
    game = defects("life_expectancy", "speed", amoebas={"0.1": 13}, damage={"0.1": 2})
    game.act("discard life_expectancy")
    game.pass_until(("divide", 0))
    game.act("pass")
    assert game.space("0.1") is None
