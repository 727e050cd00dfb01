"""A picture of one game for a terminal: board, score track, players, cards and what is being decided.

Everything is told by characters, so that the picture can be read without colours: ``2.3`` is amoeba 3 of player 2
(as in the action texts), one ``•`` behind it a damage point, ``2■4`` four cubes of player 2's colour. Colours only
repeat the player's number; they are told apart by colour-blind people too, and always lie under dark or light
digits, so that they show on any background of the terminal.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from io import StringIO

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ursuppe_env.games import Games
from ursuppe_env.rules.board import DIRECTION_NAMES, ISLAND, MAP, OFF_BOARD
from ursuppe_env.rules.combat import DEFENSE_USED, ESCAPE_USED
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.nodes import FINISHED, PAUSED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY

Amoeba = tuple[int, int]  # owner, number counted from 0

WIDTH = 100
WIDTH_OF_MANY = 120  # with 5 and 6 players
_COLUMNS = len(MAP)
_FRAME = 2  # characters or lines that a panel's border takes
_MOST_CUBES_IN_LINE = 5  # with 6 colours two lines of three look better than five and one
_LEAST_LINES = 2  # in a space
_MOST_DOTS = 3

# Near to six colours of Okabe and Ito, from the part of the 256 colours that a terminal's theme leaves alone; any two
# of them differ clearly for people with protanopia, deuteranopia and tritanopia too.
_PLAYER_STYLES = (
    "color(16) on color(208)",  # orange
    "color(16) on color(117)",  # sky blue
    "color(16) on color(227)",  # yellow
    "color(231) on color(25)",  # blue
    "color(16) on color(175)",  # reddish purple
    "color(16) on color(29)",  # bluish green
)

_PHASES = {
    Phase.SETUP: "set-up",
    Phase.MOVE_AND_FEED: "phase 1: move and feed",
    Phase.ENVIRONMENT: "phase 2: environment and gene defects",
    Phase.NEW_GENES: "phase 3: new genes",
    Phase.DIVISION: "phase 4: division",
    Phase.DEATHS: "phase 5: deaths",
    Phase.SCORING: "phase 6: scoring",
}

_QUESTIONS = {
    Decision.START_PLACE: "which start place to take",
    Decision.PLACE: "where to place an amoeba",
    Decision.NUMBER: "which of the own amoebas it is",
    Decision.MOVE: "how the amoeba moves",
    Decision.DIRECTION: "where the step goes",
    Decision.CARRY: "which cubes to take along",
    Decision.CLING: "whether to come along",
    Decision.AGAIN: "whether to step once more",
    Decision.FEED: "how the amoeba feeds",
    Decision.MEAL: "which cubes to eat",
    Decision.DEFEND: "how to answer the attack",
    Decision.DEFECT: "how to pay for the gene defect",
    Decision.BUY: "which gene to buy",
    Decision.DIVIDE: "where to divide",
    Decision.AGGRESS: "whom to attack",
}

_EVENTS = {
    Chance.CARD: "the next environment card",
    Chance.START_ORDER: "the start order",
    Chance.DIE: "one die for the step",
    Chance.DICE: "two dice for the step",
    Chance.FIGHT: "the fight between attacker and defender",
}

_MOVEMENTS = {Movement.DRIFT: "drifts", Movement.MOVE: "moves", Movement.ESCAPE: "escapes"}
_STEPS = ("first step", "second step")
_ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}


def draw_ansi(games: Games, i: int, last_action: str | None = None, color: bool = True) -> str:
    """Draw game i as text: 100 columns wide, with 5 and 6 players 120.

    Args:
        games: the games.
        i: the row of the game, 0 ... N-1.
        last_action: what is shown as the last action, such as ``"player_1: space 3"``; None: nothing.
        color: mark the players by colours too (ANSI escape codes); False: plain characters only.

    Raises:
        ValueError: there is no game i.
    """
    if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i < len(games):
        raise ValueError(f"i is {i!r}; it must be the row of a game, an integer from 0 to {len(games) - 1}")
    game, ruleset = games.state[i], games.ruleset
    width = WIDTH if ruleset.players <= 4 else WIDTH_OF_MANY
    parts = (
        _heading(game, ruleset),
        _board(game, ruleset, width),
        _legend(),
        _track(game, ruleset, width),
        _players(game, ruleset),
        _cards_left(game, ruleset, width),
        _what_happens(game, ruleset, last_action),
    )
    return _as_text(Group(*parts), width, color)


def _as_text(picture: RenderableType, width: int, color: bool) -> str:
    """Render to a string; every setting is given, so that neither terminal nor notebook nor environment matters."""
    console = Console(
        file=StringIO(),
        width=width,
        color_system="256" if color else None,
        no_color=not color,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(picture)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


# ---------------------------------------------------------------------- names and tokens


def _name(amoeba: Amoeba) -> str:
    return f"{amoeba[0]}.{amoeba[1] + 1}"


def _chip(text: str, player: int, style: str = "") -> Text:
    """Text on the player's colour, which what is appended to it does not take over."""
    return Text.assemble((text, f"{style} {_PLAYER_STYLES[player]}"))


def _cubes(colour: int, count: int) -> Text:
    """``2■4``; none is a dot, so that the colours that are there catch the eye."""
    return Text.assemble(_chip(str(colour), colour), (f"■{count}", "") if count else ("■·", "dim"))


def _damage(points: int) -> str:
    return "•" * points if points <= _MOST_DOTS else f"•{points}"


def _spaced(tokens: Iterable[Text]) -> Text:
    return Text(" ").join(tokens)


def _packed(tokens: Sequence[Text], width: int) -> list[Text]:
    """The tokens in as few lines of this width as they need: whatever there is gets its place."""
    lines: list[Text] = []
    for token in tokens:
        if lines and len(lines[-1]) + 1 + len(token) <= width:
            lines[-1] = _spaced([lines[-1], token])
        else:
            lines.append(token)
    return lines


# ---------------------------------------------------------------------- what the state says


def _space_of(game: np.void, amoeba: Amoeba) -> int:
    return int(game["amoeba_space"][amoeba])


def _amoebas_in(game: np.void, ruleset: Ruleset, space: int) -> list[Amoeba]:
    return [
        (player, number)
        for player in range(ruleset.players)
        for number in range(ruleset.amoebas)
        if _space_of(game, (player, number)) == space
    ]


def _amoeba(game: np.void, owner: str, number: str) -> Amoeba | None:
    """The amoeba in a pair of fields; None where they are empty."""
    amoeba = int(game[owner]), int(game[number])
    return None if NOBODY in amoeba else amoeba


def _acting(game: np.void) -> Amoeba | None:
    """The amoeba whose action it is: in phase 1 the one whose turn it is, in phase 5 the attacker."""
    if game["phase"] == Phase.MOVE_AND_FEED and game["amoeba"] != NOBODY:
        return int(game["order"][game["turn"]]), int(game["amoeba"])
    return _amoeba(game, "attacker", "attacker_amoeba")


def _attacked(game: np.void) -> Amoeba | None:
    return _amoeba(game, "victim", "victim_amoeba")


def _centre_of_attention(game: np.void) -> int:
    """The space where it happens; OFF_BOARD for none."""
    if game["place"] != OFF_BOARD:
        return int(game["place"])
    acting = _acting(game)
    return OFF_BOARD if acting is None else _space_of(game, acting)


def _turn_order(game: np.void, players: int) -> tuple[list[int], int | None]:
    """The players in the order of this phase, and whose turn it is; nobody before the start order and after scoring."""
    phase, turn = game["phase"], int(game["turn"])
    ascending = [int(player) for player in game["order"][:players]]
    descending = ascending[::-1]
    is_drawn = phase != Phase.SETUP or game["node"] not in (Chance.CARD, Chance.START_ORDER)
    if not is_drawn or phase == Phase.SCORING:
        return [], None
    if phase == Phase.SETUP:
        order = ascending if turn < players else descending
        return order, order[turn % players]
    if phase == Phase.MOVE_AND_FEED:
        return ascending, ascending[turn]
    # In the other phases but phase 3 the turn is counted as soon as it begins.
    number = turn if phase == Phase.NEW_GENES else turn - 1
    return descending, descending[number] if number >= 0 else None


# ---------------------------------------------------------------------- the parts of the picture


def _heading(game: np.void, ruleset: Ruleset) -> RenderableType:
    edition = f"edition {ruleset.edition}" + (", changed numbers" if ruleset.changes() else "")
    when = [f"round {game['round']}"] if game["round"] else []
    phase = "game over" if game["node"] == FINISHED else _PHASES[Phase(int(game["phase"]))]
    return Rule(Text(" · ".join(["Ursuppe", *when, phase, edition]), "bold"), characters="═", style="")


def _board(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The map of the rules: a panel for each space, rows of equal height."""
    panel_width = width // _COLUMNS
    board = Table.grid(padding=0)
    for _ in range(_COLUMNS):
        board.add_column(width=panel_width)
    for row, numbers in enumerate(MAP):
        cells = {
            column: _space(game, ruleset, int(number) - 1, panel_width - _FRAME)
            for column, number in enumerate(numbers)
            if number
        }
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _island(game, ruleset)
        height = max(_LEAST_LINES, *map(len, cells.values()))
        board.add_row(
            *(
                _panel(game, (row, column), cells[column], panel_width, height) if column in cells else ""
                for column in range(_COLUMNS)
            )
        )
    return board


def _panel(game: np.void, cell: tuple[int, int], lines: list[Text], width: int, height: int) -> Panel:
    """A space or the island; the space where it happens has a heavy border."""
    is_island = cell == ISLAND
    is_centre = not is_island and MAP[cell] - 1 == _centre_of_attention(game)
    return Panel(
        Text("\n").join(lines),
        box=box.DOUBLE if is_island else box.HEAVY if is_centre else box.ROUNDED,
        title=Text("island" if is_island else str(MAP[cell]), "not dim"),
        title_align="left",
        border_style="bold" if is_centre else "dim",
        padding=0,
        width=width,
        height=height + _FRAME,
    )


def _space(game: np.void, ruleset: Ruleset, space: int, width: int) -> list[Text]:
    """A space line by line: the cubes of each colour, then the amoebas."""
    cubes = [_cubes(colour, int(game["food"][space, colour])) for colour in range(ruleset.players)]
    in_line = len(cubes) if len(cubes) <= _MOST_CUBES_IN_LINE else len(cubes) // 2
    lines = []
    for first in range(0, len(cubes), in_line):
        lines += _packed(cubes[first : first + in_line], width)
    amoebas = [_amoeba_token(game, amoeba) for amoeba in _amoebas_in(game, ruleset, space)]
    if game["node"] == Decision.NUMBER and game["place"] == space:
        player = int(game["player"])
        amoebas.append(_chip(f"[{player}.?]", player, "bold"))
    return lines + _packed(amoebas, width)


def _amoeba_token(game: np.void, amoeba: Amoeba) -> Text:
    """``2.3•``, in brackets if it acts, in braces if it is attacked."""
    text = _name(amoeba) + _damage(int(game["damage"][amoeba]))
    if amoeba == _acting(game):
        text = f"[{text}]"
    elif amoeba == _attacked(game):
        text = f"{{{text}}}"
    return _chip(text, amoeba[0], "bold")


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    """The compass with the arrow of the current, and the ozone value."""
    if game["card"] < 0:
        direction, ozone, arrow = "?", "?", "?"
    else:
        direction, number = ruleset.environment[game["card"]]
        ozone, arrow = str(number), _ARROWS[direction]
    return [
        Text("   N    current"),
        Text(" W ") + Text(arrow, "bold") + Text(" E  ") + Text(direction, "bold"),
        Text("   S    ozone ") + Text(ozone, "bold"),
    ]


def _legend() -> RenderableType:
    return Text(
        "1.2• amoeba 2 of player 1 with one DP   1■4 four cubes of colour 1   [ ] acts   { } is attacked",
        "dim",
        justify="center",
    )


def _track(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The score track in rows of places; rows without a marker and without the beginning of the end zone are named."""
    in_row = (width - 2 * _FRAME) // 10 * 5  # two characters a place, a multiple of five
    markers = {int(game["marker"][player]): player for player in range(ruleset.players) if game["marker"][player]}
    lines = []
    skipped: list[int] = []
    last = max([ruleset.end_zone, *markers])
    for first in range(1, last + 1, in_row):
        places = range(first, first + in_row)
        if ruleset.end_zone in places or any(place in markers for place in places):
            lines += _skipped_places(skipped)
            lines += [_places(places, markers, ruleset.end_zone), _ruler(places)]
            skipped = []
        else:
            skipped += places
    waiting = [player for player in range(ruleset.players) if not game["marker"][player]]
    if waiting:
        lines.append(Text("not yet on the track: ") + _spaced(_chip(str(player), player) for player in waiting))
    return Panel(
        Text("\n").join(lines),
        box=box.ROUNDED,
        title=Text(f"score track, end zone (=) from {ruleset.end_zone}", "not dim"),
        title_align="left",
        border_style="dim",
        padding=(0, 1),
    )


def _skipped_places(places: list[int]) -> list[Text]:
    return [Text(f"⋮ {places[0]}–{places[-1]}: no marker", "dim")] if places else []


def _places(places: range, markers: dict[int, int], end_zone: int) -> Text:
    """One character a place: the marker that stands there, or a dot, ``=`` in the end zone."""

    def place_token(place: int) -> Text:
        if place in markers:
            return _chip(str(markers[place]), markers[place], "bold")
        return Text("=" if place >= end_zone else "·", "dim")

    return _spaced(map(place_token, places))


def _ruler(places: range) -> Text:
    """The numbers of the first place and of every fifth one, below them."""
    ruler = ""
    for place in places:
        if place == places[0] or place % 5 == 0:
            ruler = ruler.ljust(2 * (place - places[0])) + str(place)
    return Text(ruler, "dim")


def _players(game: np.void, ruleset: Ruleset) -> RenderableType:
    table = Table(box=box.ROUNDED, expand=True, border_style="dim", header_style="")
    table.add_column("player", no_wrap=True)
    for column in ("place", "BP", "amoebas", "reserve", "MP"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("genes (* bought in this round)", ratio=1)
    for player in range(ruleset.players):
        table.add_row(*_player(game, ruleset, player))
    return table


def _player(game: np.void, ruleset: Ruleset, player: int) -> list[RenderableType]:
    """A player's row in the table."""
    sign = "▸ " if game["player"] == player else "★ " if game["winner"] == player else "  "
    amoebas = sum(_space_of(game, (player, number)) != OFF_BOARD for number in range(ruleset.amoebas))
    owned = np.flatnonzero(game["genes"][player])
    return [
        Text(sign) + _chip(f"player_{player}", player),
        str(game["marker"][player]) if game["marker"][player] else "–",
        str(game["bp"][player]),
        f"{amoebas} of {ruleset.amoebas}",
        _cubes(player, int(game["reserve"][player])),
        str(sum(ruleset.mutation_points[gene] for gene in owned)),
        ", ".join(_gene(game, player, int(gene)) for gene in owned),
    ]


def _gene(game: np.void, player: int, gene: int) -> str:
    """A gene's name; a star if it was bought in this round, a note if it cannot answer again."""
    used = {Gene.DEFENSE: DEFENSE_USED, Gene.ESCAPE: ESCAPE_USED}.get(Gene(gene), 0)
    text = GENE_NAMES[gene]
    if game["genes"][player, gene] == game["round"]:
        text += "*"
    if int(game["answers_used"][player]) & used:
        text += " (used)"
    return text


def _cards_left(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The gene cards in the supply, and the environment cards not yet turned up."""
    supply = {name: int(count) for name, count in zip(GENE_NAMES, game["supply"], strict=True)}
    cards = Counter(card for number, card in enumerate(ruleset.environment) if not int(game["drawn"]) >> number & 1)
    lists = {
        "gene cards left:": [f"{name} ×{count}" for name, count in supply.items() if count],
        "none left of:": [name for name, count in supply.items() if not count],
        f"environment cards left ({cards.total()}):": [
            f"{direction} {ozone}" + (f" ×{count}" if count > 1 else "") for (direction, ozone), count in cards.items()
        ],
    }
    lines = []
    for title, entries in lists.items():
        tokens = [Text(entry + ",") for entry in entries[:-1]] + [Text(entry) for entry in entries[-1:] or ["–"]]
        lines += _packed([Text(title, "bold"), *tokens], width)
    return Group(*lines)


def _what_happens(game: np.void, ruleset: Ruleset, last_action: str | None) -> RenderableType:
    """Whose turn it is, who decides what, what is under way and what was done last."""
    order, with_turn = _turn_order(game, ruleset.players)
    turns = " › ".join(f"[{player}]" if player == with_turn else str(player) for player in order)
    lines: dict[str, str | Text] = {
        "last action": last_action or "",
        "turn order": turns,
        "under way": "; ".join(_under_way(game, ruleset)),
        **_who_decides(game),
    }
    text = Text("\n").join(Text.assemble((f"{title}: ", "bold"), line) for title, line in lines.items() if line)
    return Panel(text, box=box.ROUNDED, padding=(0, 1))


def _who_decides(game: np.void) -> dict[str, Text]:
    """The last line: the player and his decision, the chance event, a pause or the winner."""
    node = int(game["node"])
    if node == FINISHED:
        winner = int(game["winner"])
        place = game["marker"][winner]
        return {
            "game over": _chip(f"player_{winner}", winner) + Text(f" wins with the furthest marker, on place {place}")
        }
    if game["player"] == PAUSED:
        return {"paused": Text(f"after the scoring of round {game['round']}")}
    if node > Decision.AGGRESS:
        event = Chance(node)
        return {"chance decides": Text(f"{event.name.lower()} – {_EVENTS[event]}")}
    decision, player = Decision(node), int(game["player"])
    question = Text(f" – {decision.name.lower()}: {_QUESTIONS[decision]}")
    return {"to decide": _chip(f"player_{player}", player) + question}


# ---------------------------------------------------------------------- what is under way, in words


def _under_way(game: np.void, ruleset: Ruleset) -> list[str]:
    """The facts of the turn that are neither on the board nor in the table."""
    facts = []
    acting = _acting(game)
    if game["phase"] == Phase.MOVE_AND_FEED and acting is not None:
        facts.append(f"amoeba {_name(acting)} acts in space {_space_of(game, acting) + 1}")
    if acting is not None and game["lost_fight"]:
        facts.append(f"{_name(acting)} has lost a fight and cannot eat in this round")
    facts += [*_attack(game), _movement(game)]
    if game["node"] == Decision.CLING:
        facts.append(f"{_name(_asked_to_cling(game, ruleset))} may come along")
    if game["tapped"]:
        facts.append("a host has paid for the meal")
    if game["node"] == Decision.DEFECT:
        facts.append(f"{game['owed']} MP are owed")
    if game["node"] == Decision.NUMBER:
        facts.append(f"the new amoeba goes to space {game['place'] + 1}")
    return [fact for fact in facts if fact]


def _attack(game: np.void) -> list[str]:
    """An attack under way, or one that has failed and may be repeated."""
    acting, attacked = _acting(game), _attacked(game)
    if acting is None or not game["attempts"]:
        return []
    if attacked is None:
        failed = "the attack" if game["attempts"] == 1 else "the second attack"
        return [f"{failed} of {_name(acting)} has failed"]
    facts = [f"{_name(acting)} attacks {_name(attacked)} in space {game['place'] + 1}"]
    if game["attempts"] > 1:
        facts[0] += " in a second attempt"
    if game["fights"]:
        facts.append("the defender has lost the fight and rolls once more")
    return facts


def _movement(game: np.void) -> str:
    """A movement under way, with its dice, cubes and company."""
    mover = _amoeba(game, "mover", "mover_amoeba")
    if mover is None:
        return ""
    parts = [f"{_name(mover)} {_MOVEMENTS[Movement(int(game['movement']))]} from space {_space_of(game, mover) + 1}"]
    if game["steps"]:
        parts.append(_STEPS[game["steps"] - 1])
    dice = [str(face) for face in game["dice"] if face]
    if dice:
        parts.append(f"{'dice' if len(dice) > 1 else 'die'} {' and '.join(dice)}")
    if game["direction"] != NOBODY:
        parts.append(f"to the {DIRECTION_NAMES[game['direction']]}")
    carried = [f"{colour}■{count}" for colour, count in enumerate(game["carried"]) if count]
    if carried:
        parts.append(f"with the cubes {' '.join(carried)}")
    clinging = [
        _name((player, number))
        for player, amoebas in enumerate(game["clinging"])
        for number in range(int(amoebas).bit_length())
        if int(amoebas) >> number & 1
    ]
    if clinging:
        parts.append(f"{' and '.join(clinging)} clinging to it")
    return ", ".join(parts)


def _asked_to_cling(game: np.void, ruleset: Ruleset) -> Amoeba:
    """The amoeba that is asked: owners in ascending order of the track, then by number."""
    turn, number = divmod(int(game["cling_turn"]), ruleset.amoebas)
    return int(game["order"][turn]), number
