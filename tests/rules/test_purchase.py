"""Phase 3: new genes (rules.md sections 4 and 7)."""

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES

from support.positions import Position, position


def buying(*owned: str, round: int = 2, **options: object) -> Position:
    """The leader, player 3, owns these genes since round 1 and may buy."""
    return position(**{"phase": 3, "round": round, "genes": {3: owned}, **options})


def test_players_buy_in_descending_order_each_once() -> None:
    # Track: 1: player 2   5: player 0   6: player 3   9: player 1
    game = position(phase=3, markers=(5, 9, 1, 6))
    buyers = []
    while game.asks[0] == "buy":
        buyers.append(game.asks[1])
        game.act("pass")
    assert buyers == [1, 3, 0, 2]


def test_a_card_must_be_affordable() -> None:
    # Player 3: 4 BP
    game = buying()
    assert game.asks == ("buy", 3)
    assert game.legal == {
        *("buy intelligence", "buy movement_1", "buy spores", "buy speed"),
        *("buy defense", "buy escape", "buy substitution", "pass"),
    }


def test_all_cards_but_the_advanced_ones_are_open_to_the_rich() -> None:
    game = buying(bp={3: 99})
    assert game.legal == {
        *("buy intelligence", "buy movement_1", "buy spores", "buy speed", "buy defense", "buy escape"),
        *("buy substitution", "buy ray_protection", "buy streamlining", "buy tentacle", "buy holding"),
        *("buy life_expectancy", "buy frugality", "buy struggle_for_survival", "buy parasitism", "buy division_rate"),
        "pass",
    }


@pytest.mark.parametrize("gene", GENE_NAMES[:16])
def test_a_card_costs_its_price(gene: str) -> None:
    game = buying(bp={3: 10})
    game.act(f"buy {gene}")
    assert game.genes(3) == {gene}
    assert game.bp(3) == 10 - Ruleset().price[GENE_NAMES.index(gene)]


def test_any_number_of_cards_one_after_the_other_until_pass() -> None:
    game = buying(bp={3: 11})
    game.act("buy intelligence")
    assert game.asks == ("buy", 3)
    assert "buy intelligence" not in game.legal  # player 0 owns one, though another is left
    assert game.cards_left("intelligence") == 1
    game.act("buy spores", "buy movement_1")
    assert game.bp(3) == 3
    # Nothing more is affordable: Intelligence, Movement I and Spores are owned, all others cost 4 and more.
    assert game.asks == ("buy", 2)
    assert game.genes(3) == {"intelligence", "spores", "movement_1"}


def test_a_card_must_be_left() -> None:
    # 4 players: one card of Spores, two of Movement I
    game = buying(bp={3: 6})
    game.act("buy spores", "buy movement_1")
    assert game.asks == ("buy", 2)
    assert "buy spores" not in game.legal
    assert "buy movement_1" in game.legal
    game.act("buy movement_1")
    game.pass_until(("buy", 1))
    assert "buy movement_1" not in game.legal


def test_who_can_buy_nothing_is_not_asked() -> None:
    game = buying(bp={3: 1, 2: 1})
    assert game.asks == ("buy", 1)


def test_nothing_can_be_given_back_voluntarily() -> None:
    game = buying("spores", "speed", bp={3: 99})
    assert all(action == "pass" or action.startswith("buy ") for action in game.legal)


# ---- advanced genes

ADVANCED = [
    ("endurance", "speed", 4),
    ("movement_2", "movement_1", 5),
    ("aggression", "struggle_for_survival", 5),
    ("armour for defense", "defense", 6),
    ("armour for escape", "escape", 6),
]


@pytest.mark.parametrize(("advanced", "lower", "price"), ADVANCED)
def test_an_advanced_gene_takes_its_lower_gene_bought_in_an_earlier_round(
    advanced: str, lower: str, price: int
) -> None:
    game = buying(lower, bp={3: 20, 2: 20})
    assert f"buy {advanced}" in game.legal
    cards = game.cards_left(lower)
    game.act(f"buy {advanced}")
    gene = advanced.split()[0]
    assert game.genes(3) == {gene}
    assert game.bp(3) == 20 - price
    assert game.cards_left(lower) == cards + 1  # back in the supply
    assert game.cards_left(gene) == game.games.ruleset.cards[16:][[a.split()[0] for a, *_ in ADVANCED].index(gene)] - 1
    game.pass_until(("buy", 2))
    assert f"buy {lower}" in game.legal  # R6


@pytest.mark.parametrize(("advanced", "lower", "price"), ADVANCED)
def test_an_advanced_gene_needs_its_lower_gene(advanced: str, lower: str, price: int) -> None:
    # Player 3 owns all the other lower genes
    game = buying(*({other for _, other, _ in ADVANCED} - {lower}), bp={3: 99})
    assert f"buy {advanced}" not in game.legal
    assert {f"buy {other}" for other, *_ in ADVANCED} - {f"buy {advanced}"} <= game.legal


@pytest.mark.parametrize(("advanced", "lower", "price"), ADVANCED)
def test_the_lower_gene_must_not_be_of_this_round(advanced: str, lower: str, price: int) -> None:
    game = buying(bp={3: 99})
    game.act(f"buy {lower}")
    assert f"buy {advanced}" not in game.legal


@pytest.mark.parametrize(("advanced", "lower", "price"), ADVANCED)
def test_a_lower_gene_is_barred_to_the_owner_of_its_advanced_gene(advanced: str, lower: str, price: int) -> None:
    # Player 3 owns the advanced gene, the lower one is in the supply
    game = buying(advanced.split()[0], bp={3: 99})
    assert game.cards_left(lower) > 0
    assert f"buy {lower}" not in game.legal
    assert f"buy {advanced}" not in game.legal


def test_a_card_lost_and_bought_again_counts_from_the_new_purchase() -> None:
    # Player 3: Speed 3 + Life Expectancy 5 = 8 MP since round 1, ozone 6
    game = position(phase=2, turned_up=[("south", 13)], genes={3: ["speed", "life_expectancy"]}, bp={3: 20})
    game.turn_up("west", 6)
    game.act("discard speed")
    assert game.asks == ("buy", 3)
    assert "buy endurance" not in game.legal
    game.act("buy speed")
    assert "buy endurance" not in game.legal


def test_the_price_of_an_advanced_gene_must_be_affordable_too() -> None:
    # Player 3: 5 BP; Armour costs 6, Movement II 5
    game = buying("defense", "movement_1", bp={3: 5})
    assert "buy armour for defense" not in game.legal
    assert "buy movement_2" in game.legal


def test_armour_takes_either_gene_and_the_other_one_is_kept_r5() -> None:
    game = buying("defense", "escape", bp={3: 20})
    assert {"buy armour for defense", "buy armour for escape"} <= game.legal
    game.act("buy armour for escape")
    assert game.genes(3) == {"armour", "defense"}
    assert game.cards_left("escape") == 2
    assert game.cards_left("defense") == 0


def test_armour_is_bought_once() -> None:
    # Player 3: Defense and Armour, bought for Escape; two cards of Armour
    game = buying("defense", "armour", bp={3: 20}, cards={"armour": 2})
    assert {"buy armour for defense", "buy armour for escape"}.isdisjoint(game.legal)


def test_armour_takes_only_a_gene_of_an_earlier_round() -> None:
    game = position(phase=3, genes={3: {"escape": 1, "defense": 2}}, bp={3: 20})
    assert "buy armour for escape" in game.legal
    assert "buy armour for defense" not in game.legal


def test_several_players_may_own_an_advanced_gene_where_there_are_cards() -> None:
    game = position(phase=3, genes={2: ["speed"], 3: ["speed"]}, cards={"endurance": 2}, bp={3: 4, 2: 4})
    game.act("buy endurance")
    assert game.asks == ("buy", 2)
    game.act("buy endurance")
    assert game.genes(2) == game.genes(3) == {"endurance"}
