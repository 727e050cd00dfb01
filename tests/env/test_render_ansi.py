"""The picture for the terminal, read back piece by piece and compared with the state that it was drawn from."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.render.ansi import draw_ansi, draw_compact
from ursuppe_env.render.descriptions import situation, under_way
from ursuppe_env.rules.board import ISLAND, MAP
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.nodes import PAUSED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.phases.combat import DEFENSE_USED, DEFENSE_USED_THIS_ROUND, ESCAPE_USED

from support.standing import DRAWN, RICH, game_where, stand_at

ESCAPE_CODE = "\x1b"
ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}
SIGNS = {"": "", "[": "acts", "{": "attacked"}


# ---------------------------------------------------------------------- reading a picture


@dataclass
class Cell:
    lines: list[str] = field(default_factory=list)
    heavy: bool = False


@dataclass
class Picture:
    """What a reader finds in a picture without colours; amoebas counted from 1, as it shows them."""

    heading: str
    cells: dict[tuple[int, int], tuple[str, Cell]]  # by row and column: title, content
    food: dict[int, dict[int, int]]  # by space and colour
    amoebas: dict[tuple[int, int], tuple[int, int]]  # (owner, number): space, DP
    signs: dict[str, tuple[int, int]]  # acts, attacked
    markers: dict[int, int]  # by player
    end_zone: set[int]
    waiting: list[int]
    rows: list[list[str]]
    genes: list[dict[str, str]]
    supply: dict[str, int]  # by gene and price: "speed 4 BP"
    environment: Counter
    what: dict[str, str]


def panel_lines(lines: list[str], first: str) -> list[str]:
    """The lines inside the panel whose upper border begins like this."""
    start = next(n for n, line in enumerate(lines) if line.startswith(first))
    stop = next(n for n in range(start, len(lines)) if lines[n].startswith("╰"))
    return [line[2:-2] for line in lines[start + 1 : stop]]


def read_cells(lines: list[str], width: int) -> dict[tuple[int, int], tuple[str, Cell]]:
    cells: dict[tuple[int, int], tuple[str, Cell]] = {}
    row = -1
    for line in lines:
        pieces = [line[start : start + width].strip() for start in range(0, 5 * width, width)]
        if any(piece[:1] in tuple("╭┏╔") for piece in pieces):
            row += 1
        for column, piece in enumerate(pieces):
            if piece[:1] in tuple("╭┏╔"):
                title = piece.strip("╭╮┏┓╔╗─━═ ")
                cells[row, column] = title, Cell(heavy=piece.startswith("┏"))
            elif piece[:1] in tuple("│┃║"):
                assert piece[-1] in "│┃║", line
                cells[row, column][1].lines.append(piece[1:-1])
            elif piece:
                assert piece[:1] in tuple("╰┗╚"), line
    return cells


def read_amoeba(token: str) -> tuple[str, tuple[int, int] | None, int]:
    found = re.fullmatch(r"([\[{]?)(\d)\.(\d|\?)(•*)(\d*)[\]}]?", token)
    assert found, token
    bracket, owner, number, dots, points = found.groups()
    assert bool(bracket) == (token[-1] in "]}")
    amoeba = None if number == "?" else (int(owner), int(number))
    return SIGNS[bracket], amoeba, int(points) if points else len(dots)


def read_track(lines: list[str]) -> tuple[dict[int, int], set[int], list[int]]:
    markers, end_zone, waiting = {}, set(), []
    lines = [line.rstrip() for line in lines if not line.startswith("⋮")]
    if lines[-1].startswith("not yet on the track:"):
        waiting = [int(player) for player in lines.pop().split(":")[1].split()]
    for places, ruler in zip(lines[::2], lines[1::2], strict=True):
        labels = {found.start(): int(found.group()) for found in re.finditer(r"\d+", ruler)}
        for start, label in labels.items():
            assert label == labels[0] + start // 2, ruler
        for number, token in enumerate(places.split(" ")):
            if token == "=":
                end_zone.add(labels[0] + number)
            elif token != "·":
                assert int(token) not in markers
                markers[int(token)] = labels[0] + number
    return markers, end_zone, waiting


def read_table(lines: list[str]) -> list[list[str]]:
    """The rows of the players' table, a row wrapped over several lines put together again."""
    rows: list[list[str]] = []
    for line in lines[2:]:
        cells = [cell.strip() for cell in ("│" + line + "│").split("│")[1:-1]]
        if cells[0]:
            rows.append(cells)
        else:
            assert not any(cells[:-1])
            rows[-1][-1] += " " + cells[-1]
    return rows


def read_genes(text: str) -> dict[str, str]:
    """Gene: what is noted behind it."""
    found = [re.fullmatch(r"(\w+)(.*)", entry.strip()) for entry in text.split(",") if entry]
    return {gene.group(1): gene.group(2) for gene in found if gene}


def read_list(text: str, title: str) -> tuple[str, list[str]]:
    """What stands between the brackets of a title, and the entries of its list."""
    found = re.search(
        rf"^{title}(?: \((\d+)\))?: ([^:]*?)(?=^[a-z ]+(?: \(\d+\))?:|^╭)", text, re.MULTILINE | re.DOTALL
    )
    assert found, title
    entries = " ".join(found.group(2).split())
    return found.group(1), [] if entries == "–" else entries.split(", ")


def read_counts(entries: list[str]) -> dict[str, int]:
    return {name: int(count or 1) for name, count in (re.fullmatch(r"(.+?)(?: ×(\d+))?", e).groups() for e in entries)}


def read_what_happens(lines: list[str]) -> dict[str, str]:
    what: dict[str, str] = {}
    for line in lines:
        title = re.match(r"(last action|turn order|under way|to decide|chance decides|paused|game over): ", line)
        if title:
            what[title[1]] = line[title.end() :].strip()
        else:
            what[list(what)[-1]] += " " + line.strip()
    return what


def read(picture: str, players: int) -> Picture:
    assert ESCAPE_CODE not in picture
    lines = picture.splitlines()
    width = 100 if players <= 4 else 120
    assert max(map(len, lines)) == width
    legend = next(n for n, line in enumerate(lines) if line.strip().startswith("1.2•"))
    cells = read_cells(lines[1:legend], width // 5)
    food: dict[int, dict[int, int]] = {}
    amoebas: dict[tuple[int, int], tuple[int, int]] = {}
    signs: dict[str, tuple[int, int]] = {}
    for title, cell in cells.values():
        if title == "island":
            continue
        tokens = " ".join(cell.lines).split()
        cubes = [token.split("■") for token in tokens if "■" in token]
        assert [int(colour) for colour, _ in cubes] == list(range(players))
        food[int(title)] = {int(colour): 0 if count == "·" else int(count) for colour, count in cubes}
        for sign, amoeba, damage in map(read_amoeba, (token for token in tokens if "■" not in token)):
            if amoeba:
                assert amoeba not in amoebas
                amoebas[amoeba] = int(title), damage
            if sign:
                assert sign not in signs
                signs[sign] = amoeba or (int(title), 0)
    rows = read_table(panel_lines(lines, "╭────────────┬"))
    number, environment = read_list(picture, "environment cards left")
    assert sum(read_counts(environment).values()) == int(number)
    gone = read_list(picture, "none left of")[1]
    return Picture(
        heading=lines[0].strip("═ "),
        cells=cells,
        food=food,
        amoebas=amoebas,
        signs=signs,
        **dict(zip(("markers", "end_zone", "waiting"), read_track(panel_lines(lines, "╭─ score track")), strict=True)),
        rows=rows,
        genes=[read_genes(row[-1]) for row in rows],
        supply=read_counts(read_list(picture, "gene cards left")[1]) | dict.fromkeys(gone, 0),
        environment=Counter(read_counts(environment)),
        what=read_what_happens(panel_lines(lines, "╭──────────────────────────────────────────────────────────")),
    )


# ---------------------------------------------------------------------- comparing it with the state


def check_board(seen: Picture, game: np.void, ruleset: Ruleset) -> None:
    titles = {cell: title for cell, (title, _) in seen.cells.items()}
    spaces = {(row, column): str(number) for (row, column), number in np.ndenumerate(MAP) if number}
    assert titles == spaces | {ISLAND: "island"}
    assert seen.food == {
        space + 1: {colour: game["food"][space, colour] for colour in range(ruleset.players)} for space in range(19)
    }
    assert seen.amoebas == {
        (player, number + 1): (game["amoeba_space"][player, number] + 1, game["damage"][player, number])
        for player in range(ruleset.players)
        for number in range(ruleset.amoebas)
        if game["amoeba_space"][player, number] >= 0
    }
    island = " ".join(seen.cells[ISLAND][1].lines)
    direction, ozone = ruleset.environment[game["card"]] if game["card"] >= 0 else ("?", "?")
    assert re.search(r"W (.) E", island)[1] == ARROWS.get(direction, "?")
    assert f" {direction} " in island
    assert re.search(r"ozone (\S+)", island)[1] == str(ozone)


def check_track(seen: Picture, game: np.void, ruleset: Ruleset) -> None:
    players = range(ruleset.players)
    assert seen.markers == {player: game["marker"][player] for player in players if game["marker"][player]}
    assert seen.waiting == [player for player in players if not game["marker"][player]]
    assert min(seen.end_zone | {ruleset.end_zone}) == ruleset.end_zone
    assert ruleset.end_zone in seen.end_zone | set(seen.markers.values())


def check_players(seen: Picture, game: np.void, ruleset: Ruleset) -> None:
    assert len(seen.rows) == ruleset.players
    for player, (name, place, bp, amoebas, reserve, mp, _) in enumerate(seen.rows):
        sign = "▸ " if game["player"] == player else "★ " if game["winner"] == player else ""
        assert name == f"{sign}player_{player}"
        assert place == str(game["marker"][player] or "–")
        assert bp == str(game["bp"][player])
        assert amoebas == f"{(game['amoeba_space'][player] >= 0).sum()} of {ruleset.amoebas}"
        assert reserve == f"{player}■{game['reserve'][player] or '·'}"
        bought = {gene: int(game["genes"][player, gene]) for gene in Gene if game["genes"][player, gene]}
        assert mp == str(sum(ruleset.mutation_points[gene] for gene in bought))
        assert {name: "*" in note for name, note in seen.genes[player].items()} == {
            GENE_NAMES[gene]: round_ == game["round"] for gene, round_ in bought.items()
        }


def check_cards(seen: Picture, game: np.void, ruleset: Ruleset) -> None:
    genes = [f"{name} {price} BP" for name, price in zip(GENE_NAMES, ruleset.price, strict=True)]
    assert seen.supply == dict(zip(genes, game["supply"], strict=True))
    left = [card for n, card in enumerate(ruleset.environment) if not int(game["drawn"]) & 1 << n]
    assert seen.environment == Counter(f"{direction} {ozone}" for direction, ozone in left)


def in_words(node: Decision | Chance) -> str:
    return node.name.lower().replace("_", " ")


def check_what_happens(seen: Picture, game: np.void, ruleset: Ruleset) -> None:
    node, player = int(game["node"]), int(game["player"])
    if game["winner"] >= 0:
        expected = "game over", f"player_{game['winner']} has"
        assert "game over" in seen.heading
        assert seen.what["game over"].endswith(f"on place {game['marker'][game['winner']]}")
    elif player == PAUSED:
        expected = "paused", "after"
    elif node in set(Chance):
        expected = "chance decides", f"{in_words(Chance(node))} –"
    else:
        expected = "to decide", f"player_{player} – {in_words(Decision(node))}:"
    title, text = expected
    assert set(seen.what) - {"last action", "turn order", "under way"} == {title}
    assert seen.what[title].startswith(text)
    assert seen.what[title].endswith(situation(game).text)
    assert seen.what.get("under way", "") == "; ".join(under_way(game, ruleset))
    assert seen.heading.startswith("Ursuppe · " + (f"round {game['round']}" if game["round"] else "set-up"))
    assert f"edition {ruleset.edition}" in seen.heading
    assert ("changed numbers" in seen.heading) == (ruleset != Ruleset(players=ruleset.players, edition=ruleset.edition))
    if game["victim"] >= 0 and game["place"] >= 0:  # else a second attempt of the aggressor may go at the victim
        assert seen.signs["acts"] == (game["attacker"], game["attacker_amoeba"] + 1)
        assert seen.signs["attacked"] == (game["victim"], game["victim_amoeba"] + 1)
        attacker, victim = (f"{game[role]}.{game[f'{role}_amoeba'] + 1}" for role in ("attacker", "victim"))
        assert f"{attacker} attacks {victim}" in seen.what["under way"]
    else:
        assert "attacked" not in seen.signs
    if game["movement"]:
        word = {Movement.DRIFT: "drifts", Movement.MOVE: "moves", Movement.ESCAPE: "escapes"}[game["movement"]]
        assert f"{game['mover']}.{game['mover_amoeba'] + 1} {word} from" in seen.what["under way"]


def check(games: Games, i: int) -> Picture:
    game, ruleset = games.state[i], games.ruleset
    seen = read(draw_ansi(games.state[i], games.ruleset, color=False), ruleset.players)
    for compare in (check_board, check_track, check_players, check_cards, check_what_happens):
        compare(seen, game, ruleset)
    return seen


# ---------------------------------------------------------------------- tests


@pytest.mark.parametrize("ruleset", DRAWN, ids=lambda r: f"{r.players}-{r.edition}-{len(r.changes())}")
def test_everything_in_the_state_is_in_the_picture_at_its_place(ruleset):
    games = Games(2, ruleset, seed=5)
    check(games, 0)  # set-up
    for _ in range(6):
        games.play_random(max_decisions=67)
        for i in range(len(games)):
            check(games, i)
    games.play_random()
    check(games, 1)


@pytest.mark.parametrize("edition", ["1998", "1997"])
def test_every_decision_and_chance_event_can_be_drawn(edition):
    nodes = {int(node) for node in (*Decision, *Chance)}
    for games in stand_at(Ruleset(players=4, edition=edition, **RICH), nodes).values():
        check(games, 0)


def test_pause_after_a_round():
    games = Games(1, pause_after_rounds=True)
    while games.player[0] != PAUSED:
        games.step_random()
    seen = check(games, 0)
    assert seen.heading.startswith("Ursuppe · round 1 · phase 6: scoring")
    assert seen.what == {"paused": "after the scoring of round 1"}


def test_all_amoebas_in_one_space():
    # 42 is more than the rules bring together in practice; none of them may be missing.
    ruleset = Ruleset(players=6, amoebas=7, amoeba_places=(0,) * 8)
    games = Games(1, ruleset)
    games.play_random(max_decisions=40)
    games._states["amoeba_space"][0, :6] = 12
    games._states["damage"][0, :6] = np.arange(7)
    seen = check(games, 0)
    assert Counter(space for space, _ in seen.amoebas.values()) == {13: 42}


def test_markers_far_apart_and_far_beyond_the_end_zone():
    games = Games(1, Ruleset(players=4))
    games.play_random(max_decisions=60)
    games._states["marker"][0, :4] = 3, 1234, 300, 41
    seen = check(games, 0)
    assert seen.markers == {0: 3, 1: 1234, 2: 300, 3: 41}
    picture = draw_ansi(games.state[0], games.ruleset, color=False)
    assert "⋮ 46–270: no marker" in picture
    assert "⋮ 316–1215: no marker" in picture


def test_acting_amoeba_is_in_brackets_and_its_space_has_a_heavy_border():
    games = stand_at(Ruleset(players=4), {Decision.MOVE})[Decision.MOVE]
    game = games.state[0]
    assert game["phase"] == Phase.MOVE_AND_FEED
    seen = check(games, 0)
    assert seen.signs == {"acts": (game["player"], game["amoeba"] + 1)}
    space = game["amoeba_space"][game["player"], game["amoeba"]] + 1
    assert [title for title, cell in seen.cells.values() if cell.heavy] == [str(space)]
    assert seen.what["under way"] == f"amoeba {game['player']}.{game['amoeba'] + 1} acts in space {space}"
    turns = seen.what["turn order"].split(" › ")
    assert turns == [f"[{j}]" if j == game["player"] else str(j) for j in game["order"][:4]]


def test_amoeba_without_a_number_yet_stands_where_it_will():
    games = stand_at(Ruleset(players=3), {Decision.NUMBER})[Decision.NUMBER]
    space = int(games.state["place"][0]) + 1
    assert check(games, 0).signs == {"acts": (space, 0)}  # 0: no number
    assert f"[{games.player[0]}.?]" in draw_ansi(games.state[0], games.ruleset, color=False)


def test_movement_under_way_is_told_with_dice_cubes_and_company():
    games = stand_at(Ruleset(players=4, **RICH), {Decision.CARRY})[Decision.CARRY]
    state = games._states
    state["steps"][0], state["dice"][0], state["direction"][0] = 2, (3, 6), 2
    mover, amoeba = int(state["mover"][0]), int(state["mover_amoeba"][0])
    other = (mover + 1) % 4
    state["carried"][0, mover, :2] = 1, 2
    state["carried"][0, other, 3] = 1
    state["taken"][0] = 2
    state["clinging"][0, other] = 0b101
    state["movement"][0] = Movement.MOVE
    space = state["amoeba_space"][0, mover, amoeba] + 1
    assert (
        f"{mover}.{amoeba + 1} moves from space {space}, second step, dice 3 and 6, to the east, "
        f"with the cubes 0■1 1■2, player {other} carrying 3■1, {other}.1 and {other}.3 clinging to it; "
        f"{mover}.{amoeba + 1} takes cubes along, 2 of 3 so far"
    ) in check(games, 0).what["under way"]


def test_who_clings_before_the_direction_is_known_is_told_so():
    late, early = (
        stand_at(Ruleset(players=4, edition=edition, **RICH), {Decision.CLING})[Decision.CLING]
        for edition in ("1998", "1997")
    )
    early._states["movement"][0] = Movement.MOVE
    assert re.search(r"\d\.\d may come along$", check(late, 0).what["under way"])
    assert re.search(r"\d\.\d may come along, wherever the step may lead$", check(early, 0).what["under way"])


def second_aggression(edition: str) -> Games:
    """A game whose aggressor has failed once and may attack again."""
    return game_where(
        lambda state: (state["node"] == Decision.AGGRESS) & (state["attempts"] == 1),
        Ruleset(players=4, edition=edition, **RICH),
    )


def test_the_second_attempt_of_an_aggressor_is_told_with_its_only_target_or_its_hunger():
    games = second_aggression("1998")
    legal = {games.actions.text(int(id), int(games.player[0])) for id in np.flatnonzero(games.legal()[0])}
    (action,) = legal - {"pass"}
    assert re.fullmatch(
        r"the attack of \d\.\d has failed; a second one can go at " + action.removeprefix("attack ") + " only",
        check(games, 0).what["under way"],
    )
    assert "attacked" not in check(games, 0).signs
    games = second_aggression("1997")
    assert "a second one" not in check(games, 0).what["under way"]
    games._states["lost_fight"][0] = 1
    attacker = f"{games.state['attacker'][0]}.{games.state['attacker_amoeba'][0] + 1}"
    hunger = f"{attacker} has lost a fight and goes hungry unless another attack succeeds"
    assert check(games, 0).what["under way"].startswith(hunger)


@pytest.mark.parametrize(
    ("used", "note"), [(DEFENSE_USED, " (used)"), (DEFENSE_USED_THIS_ROUND, " (used this round)"), (ESCAPE_USED, "")]
)
def test_an_answer_used_in_the_attack_or_in_the_round_is_told(used: int, note: str):
    games = Games(1, Ruleset(players=3))
    games._states["genes"][0, 1, Gene.DEFENSE] = 1
    games._states["answers_used"][0, 1] = used
    assert check(games, 0).genes[1] == {"defense": note}


def test_what_is_left_of_an_attack_is_told():
    games = stand_at(Ruleset(players=4, **RICH), {Decision.DEFEND, Decision.FEED, Chance.FIGHT}, (Phase.MOVE_AND_FEED,))
    defend, fight = games[Decision.DEFEND], games[Chance.FIGHT]
    defend._states["attempts"][0] = 2
    assert re.search(r"attacks \d\.\d in space \d+ in a second attempt", check(defend, 0).what["under way"])
    victim = int(fight.state["victim"][0])
    assert check(fight, 0).genes[victim]["defense"].endswith("(used)")
    fight._states["fights"][0] = 1
    assert "lost the fight and rolls once more" in check(fight, 0).what["under way"]
    feed = games[Decision.FEED]
    feed._states["attempts"][0] = feed._states["lost_fight"][0] = 1
    acting = f"{feed.player[0]}.{feed.state['amoeba'][0] + 1}"
    told = f"{acting} has lost a fight and cannot eat in this round; the attack of {acting} has failed"
    assert check(feed, 0).what["under way"].endswith(told)


def test_last_action_is_shown_as_it_is():
    games = Games(1)
    assert "last action" not in read(draw_ansi(games.state[0], games.ruleset, color=False), 4).what
    for action in ("player_2: start 3", "player_0: [bold]buy armour for defense[/] :smile:"):
        seen = read(draw_ansi(games.state[0], games.ruleset, action, color=False), 4)
        assert seen.what["last action"] == action


@pytest.mark.parametrize("players", [3, 6])
def test_colours_add_nothing_but_colours(players):
    games = Games(1, Ruleset(players=players))
    games.play_random(max_decisions=150)
    colourful, plain = draw_ansi(games.state[0], games.ruleset), draw_ansi(games.state[0], games.ruleset, color=False)
    assert ESCAPE_CODE in colourful
    assert "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", colourful).splitlines()) == plain
    backgrounds = {re.search(rf"\x1b\[([\d;]*)m\s*player_{player}", colourful)[1] for player in range(players)}
    assert len(backgrounds) == players


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb"), ("COLUMNS", "40"), ("FORCE_COLOR", "1")])
def test_the_surroundings_do_not_matter(variable, monkeypatch):
    games = Games(1)
    games.play_random(max_decisions=50)
    before = draw_ansi(games.state[0], games.ruleset), draw_ansi(games.state[0], games.ruleset, color=False)
    monkeypatch.setenv(*variable)
    assert (draw_ansi(games.state[0], games.ruleset), draw_ansi(games.state[0], games.ruleset, color=False)) == before


def test_who_draws_nothing_does_not_wait_for_rich():
    code = "import sys, ursuppe_env, ursuppe_env.render.descriptions; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# ---------------------------------------------------------------------- the compact board


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_compact_board_tells_all_that_lies_there(players: int):
    games = Games(1, Ruleset(players=players), seed=players)
    while not games.finished[0]:
        games.play_random(13)
        game = games.state[0]
        lines = draw_compact(game, games.ruleset, color=False, lines=16).splitlines()
        assert len(lines) <= 21
        assert max(map(len, lines)) <= 80
        board = "\n".join(line for line in lines[: -players - 1] if not line.startswith("1.24"))
        for player, row in enumerate(game["amoeba_space"][:players]):
            shown = re.findall(r"\d", "".join(re.findall(rf"\b{player}\.([^ \n]+)", board)))
            assert sorted(shown) == [str(number + 1) for number in np.flatnonzero(row >= 0)]
        for space, food in enumerate(game["food"][:, :players]):
            cubes = " ".join(str(count) if count else "·" for count in food)
            assert f"{space + 1:>2} {cubes}" in board or len(cubes) > 12
        assert "\x1b[" in draw_compact(games.state[0], games.ruleset)


def test_a_larger_terminal_shows_more_below_the_board():
    games = Games(1, Ruleset(players=4), seed=5)
    games.play_random(180)
    game, ruleset = games.state[0], games.ruleset
    for width, lines, has_more in ((80, 16, False), (80, 32, True), (120, 24, True)):
        picture = draw_compact(game, ruleset, False, width, lines)
        assert all(("1.24 amoebas 2 and 4" in picture, "gene cards left" in picture)) == has_more
        assert max(map(len, picture.splitlines())) <= width
        assert len(picture.splitlines()) <= max(lines, 21)


def test_damage_stands_beside_the_name_of_its_amoeba_and_genes_are_never_cut():
    games = Games(1, Ruleset(players=4), seed=5)
    games.play_random(180)
    game = games.state.copy()[0]
    game["damage"][:] = 0
    game["damage"][0, 1] = 3
    game["genes"][1, :12] = True
    for lines, genes in ((16, ("inte, mov1,", "tent,")), (40, ("intelligence, movement_1,", "life_expectancy,"))):
        shown = draw_compact(game, games.ruleset, False, lines=lines)
        assert "0.7 0.2•••" in shown
        assert "…" not in shown
        assert all(gene in shown for gene in genes)
