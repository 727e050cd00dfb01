"""Positions in which one kind of action wins, and all others lose."""

from ursuppe_env.rules.genes import GENE_NAMES

from support.positions import Position, position


def a_last_division() -> tuple[Position, str]:
    """The last round, phase 4: with a fifth amoeba player 0 scores four places, not two, and passes player 3."""
    game = position(
        phase=4,
        round=10,
        amoebas={"0.1": 1, "0.2": 3, "0.3": 5, "0.4": 8, "3.1": 12},
        markers=(17, 10, 9, 21),
        bp={0: 0, 1: 0, 2: 0, 3: 0},
    )
    while game.asks != ("divide", 0):
        game.act("pass")
    return game, "space "


def a_gene_for_the_last_scoring() -> tuple[Position, str]:
    """Three gene points are a place, two are none; with it player 0 passes player 3."""
    game = position(
        phase=3,
        round=10,
        amoebas={"0.1": 1, "1.1": 12},
        genes={0: ["speed", "tentacle"]},
        price={gene: 2 if gene == "intelligence" else 99 for gene in GENE_NAMES},
        division_cost=99,
        markers=(30, 20, 10, 31),
        bp={0: 2, 1: 0, 2: 0, 3: 0},
    )
    assert game.asks == ("buy", 0)
    return game, "buy intelligence"


#: By name: functions that give the position and how the texts of the actions begin that win.
DECISIVE = {"a last division": a_last_division, "a gene for the last scoring": a_gene_for_the_last_scoring}
