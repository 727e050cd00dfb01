"""Phase 1a, displacement: the switches of Holding, the order of one active step (rules.md sections 7 and 10, R4)."""

import pytest

from support.positions import Position, in_both_editions, position, struggling

early_or_late = pytest.mark.parametrize("early_clinging", [False, True])

# West and east of space 13 lie 12 and 14, north of it the island.
TWO_AND_ANOTHER = "12: 0.1 0.2 1.1"


# ---- own_clinging


def of_one_owner(board: str = "12: 0.1 0.2", **changes: object) -> Position:
    """0.1 is about to move; its owner has Holding."""
    options = {"own_clinging": True, "card": ("east", 8), "genes": {0: ["holding"]}}
    return position(board, **{**options, **changes})


@in_both_editions
@pytest.mark.parametrize(("own_clinging", "gene"), [(False, "holding"), (True, "speed")])
def test_own_amoebas_stay_without_own_clinging_or_holding(own_clinging: bool, gene: str, edition: str) -> None:
    game = of_one_owner(edition=edition, own_clinging=own_clinging, genes={0: [gene]})
    game.act("drift")
    assert game.asks == ("move", 0)
    assert (game.space("0.1"), game.space("0.2")) == (13, 12)


@in_both_editions
def test_with_own_clinging_an_own_amoeba_may_come_along_and_keeps_its_action(edition: str) -> None:
    game = of_one_owner(edition=edition, bp={0: 0})
    game.act("drift")
    assert game.asks == ("cling", 0)  # 0.2; the mover itself is not asked
    assert game.legal == {"cling", "pass"}
    game.act("cling")
    assert (game.space("0.1"), game.space("0.2")) == (13, 13)
    assert game.bp(0) == 0  # it pays nothing
    assert game.asks == ("move", 0)
    game.act("drift", "pass")  # 0.2 acts, 0.1 stays
    assert (game.space("0.1"), game.space("0.2")) == (13, 14)


@in_both_editions
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_movers_owner_is_asked_at_his_own_place_on_the_track(players: int, edition: str) -> None:
    # Track: 1, 0, 2, 3, ...
    game = of_one_owner(
        "12: 0.1 0.3 1.2 2.1",
        players=players,
        edition=edition,
        markers=(2, 1, *range(3, players + 1)),
        genes={player: ["holding"] for player in range(3)},
        cards={"holding": 3},
    )
    game.act("hold", "drift")  # 1.2, then 0.1
    for owner, answer in ((1, "pass"), (0, "cling"), (2, "cling")):
        assert game.asks == ("cling", owner)
        game.act(answer)
    assert [game.space(amoeba) for amoeba in ("0.1", "0.3", "1.2", "2.1")] == [13, 13, 12, 13]


@in_both_editions
def test_own_amoebas_are_asked_by_number_but_for_the_mover(edition: str) -> None:
    game = of_one_owner("12: 0.1 0.2 0.5", edition=edition)
    game.act("hold", "drift")  # 0.1 stays, 0.2 drifts
    assert game.asks == ("cling", 0)
    game.act("cling")  # 0.1
    assert game.asks == ("cling", 0)
    game.act("pass")  # 0.5
    assert [game.space(amoeba) for amoeba in ("0.1", "0.2", "0.5")] == [13, 13, 12]
    assert game.asks == ("move", 0)
    game.act("drift")  # 0.5 follows; 0.1 has used up its action as before
    assert game.space("0.5") == 13
    assert game.asks == "card"
    assert (game.damage("0.1"), game.damage("0.2"), game.damage("0.5")) == (1, 1, 1)


@in_both_editions
def test_an_own_amoeba_dragged_along_triggers_no_further_clinging(edition: str) -> None:
    # Track: 1, 0, 2, 3. 1.1 refuses to cling to 0.1 ...
    genes = {0: ["holding"], 1: ["holding"]}
    game = of_one_owner(TWO_AND_ANOTHER, edition=edition, markers=(2, 1, 3, 4), genes=genes, cards={"holding": 2})
    game.act("hold", "drift", "pass", "cling")
    # ... and is not asked whether it clings to 0.2, which leaves the space after that.
    assert game.asks == ("move", 0)
    assert [game.space(amoeba) for amoeba in ("0.1", "0.2", "1.1")] == [13, 13, 12]


@in_both_editions
@early_or_late
def test_the_attacker_may_cling_to_the_escape_of_an_own_amoeba(edition: str, early_clinging: bool) -> None:
    switches = {"own_clinging": True, "early_clinging": early_clinging}
    game = struggling("escape", "holding", board="13: 0.1 0.2 0.3", edition=edition, **switches)
    game.act("attack 0.2", "escape")
    if not early_clinging:
        game.roll(1)
    assert game.asks == ("cling", 0)
    game.act("cling", "pass")  # 0.1, 0.3
    if early_clinging:
        game.roll(1)
    # Attacker and attacked are both in 12: it has escaped [R10].
    assert [game.space(amoeba) for amoeba in ("0.1", "0.2", "0.3")] == [12, 12, 13]
    assert game.damage("0.1") == 1


# ---- early_clinging


def both_genes(*owned: str, board: str = "12: 0.1 1.1", **changes: object) -> Position:
    """0.1 could take cubes along, 1.1 may cling to it."""
    return position(board, **{"card": ("east", 8), "genes": {0: ["tentacle", *owned], 1: ["holding"]}, **changes})


@in_both_editions
@early_or_late
@pytest.mark.parametrize("card", [("north", 9), ("none", 14)])
def test_a_drift_that_does_not_displace_asks_nobody_to_cling(
    edition: str, early_clinging: bool, card: tuple[str, int]
) -> None:
    game = both_genes(edition=edition, early_clinging=early_clinging, card=card, board="13: 0.1 1.1 cubes 0-0-1-0")
    # north of 13 lies the island
    game.act("drift")
    assert game.asks == ("move", 1)


@in_both_editions
@early_or_late
def test_movement_2_that_stays_drags_nobody_and_takes_no_cubes(edition: str, early_clinging: bool) -> None:
    board, switches = "12: 0.1 1.1 cubes 0-0-1-0", {"early_clinging": early_clinging, "free_stay": True}
    game = both_genes("movement_2", board=board, edition=edition, **switches)
    game.act("move")
    if early_clinging:
        game.act("cling")
    game.act("stay")
    assert (game.space("0.1"), game.space("1.1")) == (12, 12)
    assert game.asks == ("move", 1)


@in_both_editions
def test_early_answers_lapse_without_displacement_and_are_asked_anew_for_the_next_step(edition: str) -> None:
    game = both_genes("speed", edition=edition, early_clinging=True)
    game.act("move", "cling", "die 5")
    assert (game.space("0.1"), game.space("1.1")) == (12, 12)
    game.act("again")
    assert game.asks == ("cling", 1)
    assert game.bp(0) == 3  # the second step is free
    game.act("pass", "die 3")
    assert (game.space("0.1"), game.space("1.1")) == (13, 12)


@in_both_editions
def test_a_lapsed_answer_does_not_cling_to_a_later_drift(edition: str) -> None:
    game = both_genes(edition=edition, early_clinging=True, board=TWO_AND_ANOTHER)
    game.act("move", "cling", "die 5", "drift")
    assert game.asks == ("cling", 1)
    game.act("pass")
    assert [game.space(amoeba) for amoeba in ("0.1", "0.2", "1.1")] == [12, 13, 12]


@in_both_editions
@pytest.mark.parametrize("players", [3, 4, 6])
def test_early_clinging_is_asked_again_of_all_in_the_space_that_the_second_step_leaves(
    edition: str, players: int
) -> None:
    game = position(
        "12: 0.1 1.1; 13: 2.1; 17: 1.2",
        players=players,
        edition=edition,
        early_clinging=True,
        genes={0: ["speed"], 1: ["holding"], 2: ["holding"]},
        cards={"holding": 2},
    )
    game.act("move")
    assert game.asks == ("cling", 1)  # 1.1 alone: who may cling stands in the space that the mover stands in now
    game.act("cling", "die 3", "again")
    assert game.asks == ("cling", 1)  # 1.1 has come along; in the second step it can let go
    game.act("pass")
    assert game.asks == ("cling", 2)
    game.act("cling", "die 3")
    assert [game.space(amoeba) for amoeba in ("0.1", "1.1", "1.2", "2.1")] == [14, 13, 17, 14]


def escaping(*owned: str, board: str = "13: 0.1 1.1 2.1 cubes 4-0-0-0", **options: object) -> Position:
    """0.1 has attacked 1.1, whose owner has Escape and chooses it; 2.1 can cling and has Tentacle."""
    game = struggling(victim=("escape", *owned), board=board, genes={2: ["holding", "tentacle"]}, **options)
    game.act("attack 1.1", "escape")
    return game


@in_both_editions
def test_early_clinging_to_an_escape_with_movement_2_and_to_its_second_step(edition: str) -> None:
    game = escaping("movement_2", "speed", board="13: 0.1 1.1 2.1", edition=edition, early_clinging=True)
    assert game.asks == ("cling", 2)
    game.act("cling")
    assert game.asks == ("direction", 1)
    game.act("west", "again")
    assert game.asks == ("cling", 2)
    game.act("pass", "west")
    assert (game.space("1.1"), game.space("2.1")) == (11, 12)


# ---- clinging_carries


def carried_along(board: str = "12: 0.1 1.1 2.1 cubes 2-1-3-0", **changes: object) -> Position:
    """0.1 and 1.1 can carry; 1.1 and 2.1 can cling to 0.1."""
    genes = {0: ["tentacle"], 1: ["holding", "tentacle"], 2: ["holding"]}
    return position(board, **{"card": ("east", 8), "genes": genes, "cards": {"holding": 2, "tentacle": 3}, **changes})


@in_both_editions
def test_with_clinging_carries_it_takes_cubes_at_once_from_what_is_left(edition: str) -> None:
    game = carried_along(edition=edition, early_clinging=False, clinging_carries=True)
    game.act("drift", "carry 2", "pass", "cling")
    assert game.asks == ("carry", 1)  # before 2.1 is asked to cling
    assert game.legal == {"carry 0", "carry 1", "carry 2", "pass"}  # the lowest colour again
    game.act("carry 0", "carry 1", "carry 2")  # three cubes, beside that of the mover
    assert game.food(12) == (1, 0, 1, 0)
    assert game.asks == ("cling", 2)
    game.act("cling")  # 2.1 has no Tentacle
    assert [game.space(amoeba) for amoeba in ("0.1", "1.1", "2.1")] == [13, 13, 13]
    assert game.food(12) == (1, 0, 1, 0)
    assert game.food(13) == (1, 1, 2, 0)
    assert game.bp(1) == 4
    assert game.asks == ("move", 1)  # its own action is still to come


@in_both_editions
@pytest.mark.parametrize(
    ("options", "course", "taken"),
    [
        pytest.param({"clinging_carries": False}, ["pass", "cling"], (0, 0, 0, 0), id="without clinging_carries"),
        pytest.param({}, ["pass", "pass"], (0, 0, 0, 0), id="it does not cling"),
        pytest.param({}, ["pass", "cling", "carry 1", "pass"], (0, 1, 0, 0), id="it may take fewer"),
        pytest.param(
            {"board": "12: 0.1 1.1 2.1 cubes 0-0-1-0"}, ["carry 2", "cling"], (0, 0, 1, 0), id="nothing is left"
        ),
        pytest.param({"carry": 0}, ["cling"], (0, 0, 0, 0), id="a Tentacle that carries nothing"),
    ],
)
def test_where_a_clinging_amoeba_takes_no_more(
    options: dict, course: list[str], taken: tuple[int, ...], edition: str
) -> None:
    game = carried_along(**{"edition": edition, "early_clinging": False, "clinging_carries": True, **options})
    game.act("drift", *course)
    assert game.asks == ("cling", 2)
    game.act("pass")
    assert game.food(13) == taken


@in_both_editions
@pytest.mark.parametrize(("players", "most"), [(3, 2), (4, 3), (5, 3), (6, 3)])
def test_each_clinging_amoeba_carries_as_many_as_a_mover(players: int, most: int, edition: str) -> None:
    game = position(
        "12: 0.1 1.2 1.4",
        players=players,
        edition=edition,
        clinging_carries=True,
        card=("east", 8),
        food={12: (9, 0, 9, *[0] * (players - 3))},
        genes={1: ["holding", "tentacle"]},
    )
    game.act("drift")
    for _ in range(2):
        game.act("cling")
        assert game.asks == ("carry", 1)
        assert game.legal == {"carry 0", "carry 2", "pass"}  # each begins with the lowest colour
        game.act("carry 0", *["carry 2"] * (most - 1))
    assert game.space("1.2") == game.space("1.4") == 13
    assert game.food(13)[:3] == (2, 0, 2 * (most - 1))


@in_both_editions
@early_or_late
def test_own_amoebas_that_cling_carry_beside_the_mover(edition: str, early_clinging: bool) -> None:
    switches = {"early_clinging": early_clinging, "clinging_carries": True}
    game = of_one_owner("12: 0.1 0.2 cubes 4-0-4-0", edition=edition, genes={0: ["holding", "tentacle"]}, **switches)
    game.act("drift")
    if early_clinging:
        assert game.asks == ("cling", 0)
        game.act("cling")
    for _ in range(2):
        assert game.asks == ("carry", 0)
        assert game.legal == {"carry 0", "carry 2", "pass"}
        game.act("carry 0", "carry 2", "carry 2")
        if game.asks == ("cling", 0):
            game.act("cling")
    assert (game.space("0.1"), game.space("0.2")) == (13, 13)
    assert game.food(12) == (2, 0, 0, 0)
    assert game.food(13) == (2, 0, 4, 0)


@in_both_editions
def test_an_own_amoeba_dragged_along_takes_no_cubes_without_clinging_carries(edition: str) -> None:
    switches = {"early_clinging": False, "clinging_carries": False}
    game = of_one_owner("12: 0.1 0.2 cubes 3-0-0-0", edition=edition, genes={0: ["holding", "tentacle"]}, **switches)
    game.act("drift", "carry 0", "pass", "cling")
    assert (game.space("0.1"), game.space("0.2")) == (13, 13)
    assert game.food(13) == (1, 0, 0, 0)


@in_both_editions
def test_what_early_clingers_take_is_not_left_for_the_mover(edition: str) -> None:
    game = carried_along(edition=edition, early_clinging=True, clinging_carries=True)
    game.act("drift", "cling", "carry 0", "carry 0", "carry 2", "pass")
    assert game.asks == ("carry", 0)
    assert game.legal == {"carry 1", "carry 2", "pass"}
    game.act("carry 1", "pass")
    assert game.food(12) == (0, 0, 2, 0)
    assert game.food(13) == (2, 1, 1, 0)


@in_both_editions
@pytest.mark.parametrize("value", [5, 2])
def test_without_displacement_their_cubes_go_back_to_the_space_before_anything_else(edition: str, value: int) -> None:
    game = carried_along(edition=edition, early_clinging=True, clinging_carries=True, board="13: 0.1 1.1 cubes 0-1-1-1")
    game.act("move", "cling", "carry 1", "carry 2", "carry 3")
    assert game.asks == "die"
    assert game.food(13) == (0, 0, 0, 0)
    assert game.reserve == (55, 54, 54, 54)  # the cubes on their way are not in the reserve
    game.roll(value)  # stay, or the island
    assert (game.space("0.1"), game.space("1.1")) == (13, 13)
    assert game.food(13) == (2, 0, 0, 0)  # 0.1 has eaten them
    assert game.damage("0.1") == 0


@in_both_editions
def test_without_displacement_the_cubes_are_back_before_the_second_step(edition: str) -> None:
    game = carried_along(
        edition=edition, early_clinging=True, clinging_carries=True, genes={0: ["speed"], 1: ["holding", "tentacle"]}
    )
    game.act("move", "cling", "carry 2", "carry 2", "carry 2", "die 5")
    assert game.asks == ("again", 0)
    assert game.food(12) == (2, 1, 3, 0)
    assert game.reserve == (53, 54, 52, 55)
    game.act("again", "cling")
    assert game.asks == ("carry", 1)
    assert game.legal == {"carry 0", "carry 1", "carry 2", "pass"}
    game.act("carry 1", "pass", "die 3")
    assert game.food(12) == (2, 0, 3, 0)
    assert game.food(13) == (0, 1, 0, 0)


@in_both_editions
def test_the_cubes_of_all_who_carry_are_on_their_way_together(edition: str) -> None:
    game = carried_along(
        edition=edition,
        early_clinging=True,
        clinging_carries=True,
        genes={0: ["movement_2"], 1: ["holding", "tentacle"], 2: ["holding", "tentacle"]},
    )
    game.act("move", "cling", "carry 0", "carry 2", "pass", "cling", "carry 2", "pass")
    assert game.asks == ("direction", 0)
    assert game.carried == {1: (1, 0, 1, 0), 2: (0, 0, 1, 0)}
    assert game.on_their_way == (1, 0, 2, 0)
    game.act("north")
    assert game.carried == {}
    assert game.on_their_way == (0, 0, 0, 0)
    assert game.food(8) == (1, 0, 2, 0)


@in_both_editions
@early_or_late
def test_those_who_cling_to_an_escape_carry_as_well(edition: str, early_clinging: bool) -> None:
    game = escaping(edition=edition, early_clinging=early_clinging, clinging_carries=True)
    if not early_clinging:
        game.roll(1)
    game.act("cling", "carry 0", "pass")
    if early_clinging:
        assert game.food(13) == (3, 0, 0, 0)
        game.roll(1)
    assert game.food(12) == (1, 0, 0, 0)
    assert game.space("2.1") == 12


@in_both_editions
def test_the_cubes_are_back_where_an_escape_has_failed(edition: str) -> None:
    game = escaping("speed", edition=edition, early_clinging=True, clinging_carries=True)
    game.act("cling", "carry 0", "pass", "die 5")
    assert game.food(13) == (4, 0, 0, 0)
    game.act("pass")
    assert (game.space("1.1"), game.space("2.1")) == (None, 13)
    assert game.food(13) == (5, 1, 1, 1)


# ---- the order of one active step (rules.md section 7, phase 1a)


def asked_until(game: Position, end: object) -> list[str]:
    """What is asked, and of whom: everybody clings, takes the cubes of colour 0 and goes west."""
    asked = []
    while game.asks != end:
        if game.asks == "die":
            asked.append("die")
            game.roll(6)
        else:
            decision, player = game.asks
            asked.append(f"{decision} {player}")
            game.act({"direction": "west", "carry": "carry 0", "cling": "cling", "again": "again"}[decision])
    return asked


in_every_order = pytest.mark.parametrize(
    ("early_clinging", "clinging_carries", "order"),
    [  # what is asked of the mover M and of those that cling, A and B
        (False, False, "die, direction M, carry M, cling A, cling B"),
        (False, True, "die, direction M, carry M, cling A, carry A, cling B, carry B"),
        (True, False, "cling A, cling B, die, direction M, carry M"),
        (True, True, "cling A, carry A, cling B, carry B, die, direction M, carry M"),
    ],
)


def all_in_13(*owned: tuple[str, ...], players: int = 4, **options: object) -> Position:
    """0.1, 1.1 and 2.1, whose owners have Tentacle, which takes one cube, and these genes."""
    genes = {player: ["tentacle", *genes] for player, genes in enumerate(owned)}
    board = "13: 0.1 1.1 2.1 cubes 9" + (players - 1) * "-0"
    return position(board, players=players, carry=1, genes=genes, cards={"holding": 2, "tentacle": 3}, **options)


def named(order: str, **players: int) -> list[str]:
    for name, player in players.items():
        order = order.replace(name, str(player))
    return order.split(", ")


@in_both_editions
@in_every_order
@pytest.mark.parametrize("players", [3, 6])
def test_the_order_of_an_active_step(
    early_clinging: bool, clinging_carries: bool, order: str, players: int, edition: str
) -> None:
    switches = {"early_clinging": early_clinging, "clinging_carries": clinging_carries}
    for owned, expected in (((), order), (("movement_2",), order.replace("die, ", ""))):
        game = all_in_13(("speed", *owned), ("holding",), ("holding",), players=players, edition=edition, **switches)
        game.act("move")
        assert game.bp(0) == 3
        step = named(expected, M=0, A=1, B=2)
        assert asked_until(game, ("again", 0)) == step
        assert game.amoebas == {"0.1": 12, "1.1": 12, "2.1": 12}
        assert game.food(12)[0] == (3 if clinging_carries else 1)
        game.act("again")
        assert asked_until(game, ("move", 1)) == step


@in_both_editions
@in_every_order
def test_the_order_of_a_drift(early_clinging: bool, clinging_carries: bool, order: str, edition: str) -> None:
    switches = {"early_clinging": early_clinging, "clinging_carries": clinging_carries}
    game = all_in_13((), ("holding",), ("holding",), edition=edition, card=("west", 9), **switches)
    game.act("drift")
    assert asked_until(game, ("move", 1)) == named(order.replace("die, direction M, ", ""), M=0, A=1, B=2)
    assert game.amoebas == {"0.1": 12, "1.1": 12, "2.1": 12}


@in_both_editions
@in_every_order
def test_the_order_of_an_escape(early_clinging: bool, clinging_carries: bool, order: str, edition: str) -> None:
    switches = {"early_clinging": early_clinging, "clinging_carries": clinging_carries}
    owned = ("struggle_for_survival", "holding"), ("escape", "speed"), ("holding",)
    game = all_in_13(*owned, edition=edition, **switches)
    game.act("drift", "attack 1.1", "escape")
    assert game.bp(1) == 3
    step = named(order, M=1, A=0, B=2)
    assert asked_until(game, ("again", 1)) == step
    assert game.amoebas == {"0.1": 12, "1.1": 12, "2.1": 12}
    game.act("again")
    assert asked_until(game, ("move", 1)) == step
