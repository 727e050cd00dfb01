"""The round that docs/rules.md works out: played on the engine as its tables say, with every number compared."""

import re
from pathlib import Path

from ursuppe_env.rules.genes import GENE_NAMES

from support.positions import Position, position

_PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
_SECTION = re.search(r"^## One round, worked out\n(.*?)^## ", _PAGE, re.MULTILINE | re.DOTALL)[1]
_CODE = re.compile(r"`(.+?)`")


def rows(head: str) -> list[list[str]]:
    """The rows of all tables of the section whose first lines begin like this."""
    found, is_wanted = [], False
    for line in _SECTION.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            is_wanted = False
        elif line.startswith(head):
            is_wanted = True
        elif is_wanted and set(line) - set("|- "):
            found.append(cells)
    return found


def beginning() -> Position:
    """The position that the section draws and lists, with the DP that it tells below the drawing."""
    players = {int(player): (int(marker), int(bp), genes) for player, marker, bp, genes in rows("| player | marker |")}
    told = dict(re.findall(r"`(\d\.\d)` has (\d) DP", _SECTION))
    return position(
        re.search(r"```text\n(.*?)```", _SECTION, re.DOTALL)[1],
        players=len(players),
        round=3,
        card=("east", 10),
        turned_up=[("south", 13), ("none", 14)],
        damage={amoeba: int(points) for amoeba, points in told.items()},
        bp={player: bp for player, (_, bp, _) in players.items()},
        genes={player: _CODE.findall(genes) for player, (_, _, genes) in players.items()},
        markers=tuple(marker for marker, _, _ in players.values()),
    )


def answer(game: Position, player: str, asked: str, given: str) -> None:
    """One answer of the tables: what is asked is what the engine asks, and of whom."""
    if asked == "die":
        game.roll(int(given))
    elif asked == "fight":
        game.fight(given)
    elif asked == "card":
        direction, ozone = given.split()
        game.turn_up(direction, int(ozone))
    else:
        assert game.asks == (asked, int(player))
        assert given in game.legal
        game.act(given)


#: What the tables may claim about the state, and where the engine has it.
FACTS = {
    r"(\d\.\d) in (\d+)": lambda game, amoeba: str(game.space(amoeba)),
    r"(\d\.\d) off the board()": lambda game, amoeba: "" if game.space(amoeba) is None else "on it",
    r"(\d\.\d): (\d+) DP": lambda game, amoeba: str(game.damage(amoeba)),
    r"space (\d+): ([\d-]+)": lambda game, space: "-".join(map(str, game.food(int(space)))),
    r"player (\d): (\d+) BP": lambda game, player: str(game.bp(int(player))),
    r"player (\d) owes (\d+) MP": lambda game, player: (
        str(game.games.state["owed"][0]) if game.asks == ("defect", int(player)) else "nothing"
    ),
    r"marker (\d): (\d+)": lambda game, player: str(game.markers[int(player)]),
}


def check(game: Position, fact: str) -> None:
    """What is claimed is what the engine has."""
    found = [(match, looked_up) for form, looked_up in FACTS.items() if (match := re.fullmatch(form, fact))]
    assert len(found) == 1, f"{fact!r} is in none of the known forms"
    match, looked_up = found[0]
    assert looked_up(game, match[1]) == match[2], fact


def test_the_round_worked_out_is_what_the_engine_plays():
    game = beginning()
    answered = checked = 0
    for asked, given, then in rows("| asked | answer |"):
        for question, reply in zip(_CODE.findall(asked), _CODE.findall(given), strict=True):
            answer(game, asked[0], question, reply)
            answered += 1
        for fact in _CODE.findall(then):
            check(game, fact)
            checked += 1
    assert (answered, checked) == (27, 37)
    order = re.search(r"The ascending order of round 4 is (.*)\.", _SECTION)[1]
    assert order == ", ".join(str(player) for player in sorted(range(3), key=lambda j: game.markers[j]))
    assert game.asks == ("move", int(order[0]))  # nothing is left out: the next question is one of round 4
    assert game.games.state["round"][0] == 4


def test_the_table_of_names_has_every_gene_of_the_code():
    section = re.search(r"^## The genes in three languages\n(.*?)^## ", _PAGE, re.MULTILINE | re.DOTALL)[1]
    assert re.findall(r"^\| (\d+) \| `(\w+)` \| .+ \| .+ \| .+ \|$", section, re.MULTILINE) == [
        (str(id), gene) for id, gene in enumerate(GENE_NAMES)
    ]
