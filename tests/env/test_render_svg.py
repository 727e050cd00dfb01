"""The picture as SVG and as pixels: read back piece by piece and compared with the state that it was drawn from."""

import re
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest
from matplotlib.ft2font import FT2Font

from ursuppe_env import Games, Ruleset
from ursuppe_env.line import counted
from ursuppe_env.positions.facts import acting, attacked, clinging, moving, taking_cubes, turn_order
from ursuppe_env.render.descriptions import heading, situation, under_way
from ursuppe_env.render.fonts import FONT_FILES, text_width
from ursuppe_env.render.png import to_array, to_png
from ursuppe_env.render.svg.elements import picture
from ursuppe_env.render.svg.theme import PLAYERS, THEMES
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.nodes import PAUSED, Chance, Decision, Movement
from ursuppe_env.rules.phases.combat import DEFENSE_USED_THIS_ROUND

from support.colours import contrast, linear
from support.standing import DRAWN, RICH, game_where, stand_at

SVG = "{http://www.w3.org/2000/svg}"
SIGNS = {None: "", "decides": "▸", "winner": "★"}


# ---------------------------------------------------------------------- reading a picture


def find(parent: Element, class_: str) -> list[Element]:
    """All elements of a class, at any depth."""
    return [element for element in parent.iter() if element.get("class") == class_]


def one(parent: Element, class_: str) -> Element:
    (element,) = find(parent, class_)
    return element


def number(element: Element, name: str) -> int:
    return int(element.attrib[f"data-{name}"])


def words(element: Element) -> list[str]:
    """What is written in it."""
    return [text.text or "" for text in element.iter(f"{SVG}text")]


def positions(element: Element, dx: float = 0, dy: float = 0, scale: float = 1) -> dict[Element, tuple[float, ...]]:
    """The origin and the scale of every element in px of the whole picture; rotations are left out."""
    transform = element.get("transform", "")
    if found := re.search(r"translate\(([-\d.e]+) ([-\d.e]+)\)", transform):
        dx, dy = dx + scale * float(found[1]), dy + scale * float(found[2])
    if found := re.search(r"scale\(([\d.e-]+)\)", transform):
        scale *= float(found[1])
    places = {element: (dx, dy, scale)}
    for child in element:
        places |= positions(child, dx, dy, scale)
    return places


# ---------------------------------------------------------------------- comparing it with the state


def check_board(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    spaces = {number(space, "space") - 1: space for space in find(picture, "space")}
    assert sorted(spaces) == list(range(NUM_SPACES))
    amoebas = {}
    for space, element in spaces.items():
        foods = {number(food, "player"): food for food in find(element, "food")}
        assert sorted(foods) == list(range(ruleset.players))
        for colour, food in foods.items():
            count = game["food"][space, colour]
            assert number(food, "count") == count
            assert words(food) == ([str(colour), str(count)] if count else [str(colour)])
        for amoeba in find(element, "amoeba"):
            name = amoeba.attrib["data-amoeba"]
            if name.endswith("?"):  # not yet chosen
                assert (game["node"], game["place"]) == (Decision.NUMBER, space)
                assert number(amoeba, "player") == game["player"]
                continue
            assert name not in amoebas
            amoebas[name] = space, number(amoeba, "damage")
            label, *damage = words(amoeba)
            assert label in (name, name[2:])  # only its number in a crowd
            assert damage == ([str(number(amoeba, "damage"))] if number(amoeba, "damage") else [])
    assert amoebas == {
        amoeba_name((player, n)): (game["amoeba_space"][player, n], game["damage"][player, n])
        for player in range(ruleset.players)
        for n in range(ruleset.amoebas)
        if game["amoeba_space"][player, n] != OFF_BOARD
    }


def check_signs(picture: Element, game: np.void) -> None:
    """Who acts and who is attacked is marked on the amoebas, and where it happens on the space."""
    signs = {amoeba.get("data-amoeba"): amoeba.get("data-sign") for amoeba in find(picture, "amoeba")}
    signs = {name: sign for name, sign in signs.items() if sign}
    expected = {amoeba_name(name): "clings" for name in clinging(game)}
    for name, sign in ((acting(game), "acts"), (attacked(game), "attacked")):
        if name is not None and game["amoeba_space"][name] != OFF_BOARD:
            expected[amoeba_name(name)] = sign
    asked = [name for name, sign in signs.items() if sign == "asked" and not name.endswith("?")]
    carrier = taking_cubes(game)
    assert len(asked) == (game["node"] == Decision.CLING or (carrier is not None and carrier != moving(game)))
    assert all(int(name[0]) == game["player"] for name in asked)
    assert {name: sign for name, sign in signs.items() if sign != "asked"} == {
        name: sign for name, sign in expected.items() if name not in asked
    }
    for amoeba in find(picture, "amoeba"):
        dashes = [ring.get("stroke-dasharray") for ring in find(amoeba, "ring")]
        assert len(dashes) == ("data-sign" in amoeba.attrib)
        assert all((dash == "none") == (amoeba.get("data-sign") == "acts") for dash in dashes)
    new = [words(amoeba) for amoeba in find(picture, "amoeba") if amoeba.get("data-amoeba").endswith("?")]
    assert new == [[f"{game['player']}.?"]] * int(game["node"] == Decision.NUMBER)


def check_track(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    places = {number(place, "place"): place for place in [*find(picture, "place"), *find(picture, "end-zone")]}
    last = max(places)
    assert sorted(places) == list(range(1, last + 1))
    assert {place for place, element in places.items() if element.get("class") == "end-zone"} == set(
        range(ruleset.end_zone, last + 1)
    )
    assert last >= ruleset.end_zone + 10
    markers = {number(marker, "player"): marker for marker in find(picture, "marker")}
    assert {player: number(marker, "place") for player, marker in markers.items()} == {
        player: game["marker"][player] for player in range(ruleset.players)
    }
    for player, marker in markers.items():
        place, disc = int(game["marker"][player]), marker.find(f".//{SVG}circle")
        assert words(marker) == [str(player)]
        assert disc.get("fill") == PLAYERS[player].fill
        if place in places:  # on it, and not only said to be
            assert words(places[place]) == [str(place)]
            border = places[place].find(f"{SVG}rect")
            left, top = float(border.get("x")), float(border.get("y"))
            assert left < float(disc.get("cx")) < left + float(border.get("width"))
            assert top < float(disc.get("cy")) < top + float(border.get("height"))
    said = words(one(picture, "track"))
    assert said.count("not yet") == sum(game["marker"][player] == 0 for player in range(ruleset.players))
    assert all(f"on {place}" in said for place in game["marker"] if place > last)


def check_players(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    rows = find(picture, "player")
    assert [number(row, "player") for row in rows] == list(range(ruleset.players))
    for player, row in enumerate(rows):
        owned = np.flatnonzero(game["genes"][player])
        figures = {
            "place": int(game["marker"][player]),
            "bp": int(game["bp"][player]),
            "amoebas": int((game["amoeba_space"][player] != OFF_BOARD).sum()),
            "reserve": int(game["reserve"][player]),
            "mp": sum(ruleset.mutation_points[gene] for gene in owned),
        }
        assert {name: number(row, name) for name in figures} == figures
        sign = "decides" if game["player"] == player else "winner" if game["winner"] == player else None
        assert row.get("data-sign") == sign
        place, bp, amoebas, reserve, mp = map(str, figures.values())
        shown = [str(player), place if game["marker"][player] else "–", bp, f"{amoebas} of {ruleset.amoebas}"]
        assert words(row) == [*SIGNS[sign], *shown, reserve, mp]


def check_genes(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    rows = find(picture, "gene")
    assert [row.get("data-gene") for row in rows] == list(GENE_NAMES)
    for gene, row in enumerate(rows):
        assert number(row, "left") == game["supply"][gene]
        assert number(row, "price") == ruleset.price[gene]
        name, price, points, left = words(row)[:4]
        shown = name.lower().replace(" ii", " 2").replace(" i", " 1" if name.endswith("I") else " i")
        assert shown == GENE_NAMES[gene].replace("_", " ")
        figures = ruleset.price[gene], ruleset.mutation_points[gene], game["supply"][gene] or "–"
        assert (price, points, left) == tuple(map(str, figures))
        owners = {number(owner, "player"): owner for owner in find(row, "owner")}
        assert {player: number(owner, "bought") for player, owner in owners.items()} == {
            player: game["genes"][player, gene] for player in range(ruleset.players) if game["genes"][player, gene]
        }
        for player, owner in owners.items():
            is_new = game["genes"][player, gene] == game["round"]
            assert words(owner) == [str(player), *("*" * int(is_new))]


def check_environment(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    island = one(picture, "island")
    direction, ozone = ruleset.environment[game["card"]] if game["card"] >= 0 else ("?", "?")
    assert (island.get("data-direction"), island.get("data-ozone")) == (direction, str(ozone))
    assert f"ozone {ozone}" in words(island)
    points = {point.get("data-direction"): words(point) for point in find(island, "point")}
    assert points.keys() == set(DIRECTION_NAMES)
    assert [points[name] for name in DIRECTION_NAMES[:4]] == [["W"], ["N"], ["E"], ["S"]]
    left = Counter(card for n, card in enumerate(ruleset.environment) if not int(game["drawn"]) >> n & 1)
    found = Counter(
        (cards.get("data-direction"), int(value))
        for cards in find(picture, "cards")
        for value in cards.attrib["data-ozone"].split()
    )
    assert found == left
    assert f"environment: {left.total()} left" in words(one(picture, "cards-left"))


def check_status(picture: Element, game: np.void, ruleset: Ruleset) -> None:
    now, element = situation(game), one(picture, "situation")
    assert element.get("data-title") == now.title
    if now.player is None:
        assert words(element) == [now.title, now.text]
    else:
        assert words(element) == [now.title, str(now.player), f"player {now.player} {now.text}"]
    facts = "; ".join(under_way(game, ruleset))
    assert [" ".join(words(shown)) for shown in find(picture, "under-way")] == ([f"under way {facts}"] if facts else [])
    assert [number(die, "face") for die in reversed(find(picture, "die"))] == [face for face in game["dice"] if face]
    for die in find(picture, "die"):
        assert len(list(die.iter(f"{SVG}circle"))) == number(die, "face")
    assert {
        (number(cubes, "carrier"), number(cubes, "player")): number(cubes, "count")
        for cubes in find(picture, "carried")
    } == {(player, colour): count for (player, colour), count in np.ndenumerate(game["carried"]) if count}
    assert len(find(picture, "displacement")) == (0 <= game["direction"] < 4)
    turns = [number(turn, "player") for turn in find(picture, "turn")]
    with_turn = [number(turn, "player") for turn in find(picture, "turn") if turn.get("data-now")]
    if game["winner"] >= 0:
        assert turns == sorted(range(ruleset.players), key=lambda player: -game["marker"][player])
        assert turns[0] == game["winner"]
        assert not with_turn
    else:
        order, now = turn_order(game, ruleset.players)
        assert (turns, with_turn) == (order, [] if now is None else [now])
    heading = one(picture, "heading")
    assert (number(heading, "round"), number(heading, "phase")) == (game["round"], game["phase"])


def extent(text: Element, x: float, y: float, scale: float) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a text, in px of the whole picture."""
    size = scale * float(text.get("font-size"))
    length = text_width(text.text or "", size, text.get("font-weight") == "bold")
    before = {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")]
    left = x + scale * float(text.get("x")) - before * length
    bottom = y + scale * float(text.get("y"))
    return left, bottom - size, left + length, bottom


def check_texts_fit(picture: Element) -> None:
    """No text leaves the picture, and none in a player's row, a gene's row or a space's cubes meets its neighbour."""
    width, height = float(picture.get("width")), float(picture.get("height"))
    places = positions(picture)
    extents = {e: extent(e, *place) for e, place in places.items() if e.tag == f"{SVG}text"}
    for element, (left, top, right, bottom) in extents.items():
        assert 0 <= left <= right <= width, element.text
        assert 0 <= top <= bottom <= height, element.text
    for row in find(picture, "player"):
        texts = sorted(extents[text] for text in row.iter(f"{SVG}text"))
        assert all(one[2] < next_one[0] for one, next_one in pairwise(texts)), words(row)
    for row in find(picture, "gene"):
        texts = [extents[text] for text in row.findall(f"{SVG}text")]
        owners = [places[owner][0] + float(owner.find(f".//{SVG}circle").get("cx")) for owner in find(row, "owner")]
        assert all(one[2] + 2 < next_one[0] for one, next_one in pairwise(texts)), words(row)
        assert all(texts[-1][2] < x - 6.5 for x in owners), words(row)
    for space in find(picture, "space"):
        check_counts_of_cubes_fit(space, places, extents)


def check_counts_of_cubes_fit(space: Element, places: dict, extents: dict) -> None:
    """Between a count and the next cube of its line, or the border of the space, there is a gap to be seen."""
    lines: dict[float, list[Element]] = {}
    for food in find(space, "food"):
        lines.setdefault(places[food][1], []).append(food)
    for line in lines.values():
        starts = [places[food][0] for food in line[1:]] + [places[space][0] + 104 - 3]
        for food, next_one in zip(line, starts, strict=True):
            right = max(extents[text][2] for text in food.iter(f"{SVG}text"))
            assert right <= next_one - 2, (space.get("data-space"), words(food))


def check(games: Games, i: int, **options: str) -> Element:
    game, ruleset = games.state[i], games.ruleset
    picture = ElementTree.fromstring(games.svg(i, **options))
    check_board(picture, game, ruleset)
    check_signs(picture, game)
    check_track(picture, game, ruleset)
    check_players(picture, game, ruleset)
    check_genes(picture, game, ruleset)
    check_environment(picture, game, ruleset)
    check_status(picture, game, ruleset)
    check_texts_fit(picture)
    return picture


# ---------------------------------------------------------------------- tests of the structure


@pytest.mark.parametrize("ruleset", DRAWN, ids=lambda r: f"{r.players}-{r.edition}-{len(r.changes())}")
def test_everything_in_the_state_is_in_the_picture_at_its_place(ruleset):
    games = Games(2, ruleset, seed=5)
    sizes = {check(games, 0).get("viewBox")}  # set-up
    for _ in range(4):
        games.play_random(max_decisions=67)
        sizes |= {check(games, i, theme=theme).get("viewBox") for i, theme in enumerate(("light", "dark"))}
    games.play_random()
    sizes.add(check(games, 1).get("viewBox"))
    assert len(sizes) == 1  # all pictures of a game are frames of one film


@pytest.mark.parametrize("edition", ["1998", "1997"])
def test_every_decision_and_chance_event_can_be_drawn(edition):
    nodes = {int(node) for node in (*Decision, *Chance)}
    for games in stand_at(Ruleset(players=5, edition=edition, **RICH), nodes).values():
        check(games, 0)


def test_pause_after_a_round():
    games = Games(1, pause_after_rounds=True)
    while games.player[0] != PAUSED:
        games.step_random()
    assert one(check(games, 0), "situation").get("data-title") == "paused"


def test_cubes_on_their_way_dice_and_direction():
    games = stand_at(Ruleset(players=4, **RICH), {Decision.CARRY})[Decision.CARRY]
    state = games._states
    state["dice"][0], state["carried"][0, state["mover"][0], :2] = (3, 6), (1, 2)
    for direction in range(4):
        state["direction"][0] = direction
        picture = check(games, 0)
        assert number(one(picture, "displacement"), "direction") == direction
        assert [words(cubes) for cubes in find(picture, "carried")] == [["0", "1"], ["1", "2"]]


def test_cubes_of_several_players_are_behind_their_markers_and_leave_room_for_the_question():
    games = game_where(
        lambda state: (state["node"] == Decision.CARRY) & (state["movement"] == Movement.MOVE),
        Ruleset(players=6, **RICH),
    )
    mover = int(games.state["mover"][0])
    games._states["carried"][0] = 1
    picture = check(games, 0)
    carriers = [number(cubes, "carrier") for cubes in find(picture, "carried")]
    assert carriers == [player for player in sorted(range(6), key=lambda j: j != mover) for _ in range(6)]
    assert "player" in words(one(picture, "situation"))[-1]


def test_an_amoeba_that_clings_and_takes_cubes_is_the_one_that_is_asked():
    games = game_where(
        lambda state: (state["node"] == Decision.CARRY) & (state["carrier"] != state["mover"]),
        Ruleset(players=4, edition="1997", **RICH),
    )
    asked = [a.get("data-amoeba") for a in find(check(games, 0), "amoeba") if a.get("data-sign") == "asked"]
    assert asked == [amoeba_name(taking_cubes(games.state[0]))]


def test_an_answer_that_is_used_up_is_pale():
    games = stand_at(Ruleset(players=4, edition="1997", **RICH), {Chance.FIGHT})[Chance.FIGHT]
    defender = int(games.state["victim"][0])
    used = [
        (row.get("data-gene"), number(owner, "player"))
        for row in find(check(games, 0), "gene")
        for owner in find(row, "owner")
        if owner.get("data-used")
    ]
    assert ("defense", defender) in used
    assert {owner for _, owner in used} == {defender}


@pytest.mark.parametrize("owns_both", [True, False])
def test_an_answer_used_earlier_in_the_round_is_pale_for_owners_of_both(owns_both: bool):
    games = Games(1, Ruleset(players=4, edition="1997", **RICH))
    games._states["genes"][0, 2, Gene.DEFENSE], games._states["genes"][0, 2, Gene.ESCAPE] = 1, int(owns_both)
    games._states["answers_used"][0, 2] = DEFENSE_USED_THIS_ROUND
    (row,) = [row for row in find(check(games, 0), "gene") if row.get("data-gene") == "defense"]
    (owner,) = find(row, "owner")
    assert owner.get("data-used") == ("true" if owns_both else None)
    assert "defense (used this round)" in owner.find(f"{SVG}title").text


@pytest.mark.parametrize(
    ("changes", "words_of_edition"),
    [
        ({}, "edition 1998"),
        ({"income": 11}, "edition 1998, changed numbers"),
        ({"own_clinging": True}, "edition 1998, changed rules"),
        ({"own_clinging": True, "income": 11}, "edition 1998, changed numbers and rules"),
    ],
)
def test_the_heading_says_whether_numbers_or_rules_are_changed(changes: dict, words_of_edition: str):
    games = Games(1, Ruleset(**changes))
    assert words(one(check(games, 0), "heading"))[0] == f"Ursuppe · {words_of_edition}"
    assert heading(games.state[0], games.ruleset).endswith(f" · {words_of_edition}")


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_counts_of_two_digits_do_not_touch_the_next_cube(players: int):
    games = Games(1, Ruleset(players=players))
    games._states["food"][0, :, :players] = np.random.default_rng(players).integers(9, 45, (NUM_SPACES, players))
    check(games, 0)


def test_numbers_of_genes_do_not_touch_each_other():
    genes = dict.fromkeys(GENE_NAMES, 99)
    games = Games(1, Ruleset(players=6, price=genes, cards=genes, mutation_points=genes))
    games._states["genes"][0, :6] = 1
    check(games, 0)


@pytest.mark.parametrize("amoebas_each", [1, 2, 3, 7])
def test_many_amoebas_and_cubes_in_one_space(amoebas_each: int):
    # More than the rules bring together in practice; none of them may be missing, hidden or outside.
    games = Games(1, Ruleset(players=6, amoebas=7, amoeba_places=(0,) * 8, cubes=120))
    games.play_random(max_decisions=40)
    games._states["amoeba_space"][0, :6] = OFF_BOARD
    games._states["amoeba_space"][0, :6, :amoebas_each] = 12
    games._states["damage"][0, :6] = np.arange(7)
    games._states["food"][0, 12, :6] = (1, 0, 9, 10, 99, 120)
    picture = check(games, 0)
    (space,) = [space for space in find(picture, "space") if number(space, "space") == 13]
    amoebas = find(space, "amoeba")
    assert len(amoebas) == 6 * amoebas_each
    where = positions(space)
    left, top, _ = where[space]
    centres = [where[amoeba] for amoeba in amoebas]
    assert all(left < x < left + 104 and top < y < top + 112 for x, y, _ in centres)
    apart = [
        max(abs(x - a) / scale / 17, abs(y - b) / scale / 17)
        for n, (x, y, scale) in enumerate(centres)
        for a, b, _ in centres[:n]
    ]
    assert min(apart) >= 0.99


def test_markers_far_beyond_the_end_zone_and_other_large_numbers():
    games = Games(1, Ruleset(players=4))
    games.play_random(max_decisions=60)
    games._states["marker"][0, :4] = 3, 1234, 57, 56
    games._states["bp"][0, :4] = 32000
    track = one(check(games, 0), "track")
    assert words(track)[-4:] == ["on 1234", "1", "on 57", "2"]


def test_last_action_is_shown_as_it_is():
    games = Games(1)
    assert not find(check(games, 0), "last-action")
    for action in ("player_2: start 3", 'player_0: <b>buy</b> &amp; "so"', "bell \x07 and null \x00"):
        shown = one(check(games, 0, last_action=action), "last-action")
        assert words(shown)[1] == re.sub(r"[\x00\x07]", "\N{REPLACEMENT CHARACTER}", action)
    assert ElementTree.fromstring(picture(1, 1, data_title='<"&>').markup()).get("data-title") == '<"&>'


def test_a_very_long_last_action_ends_in_an_ellipsis_and_is_whole_in_the_tooltip():
    games, action = Games(1), "player_2: a story without an end " * 20
    shown = one(check(games, 0, last_action=action), "last-action")
    assert words(shown)[1].endswith("…")
    assert shown.find(f"{SVG}title").text == action


# ---------------------------------------------------------------------- tests of texts and colours


@pytest.mark.parametrize("file", FONT_FILES)
def test_the_fonts_have_all_letters_of_the_pictures(file: str):
    nodes = {int(node) for node in (*Decision, *Chance)}
    letters = set("…★\N{REPLACEMENT CHARACTER}")
    for games in stand_at(Ruleset(players=4, **RICH), nodes).values():
        letters |= set("".join(words(ElementTree.fromstring(games.svg(0)))))
    assert letters <= set(map(chr, FT2Font(file).get_charmap()))


def test_texts_stand_out_from_what_they_are_written_on():
    for colour in PLAYERS:
        assert contrast(colour.ink, colour.fill) >= 4.5
    for theme in THEMES.values():
        everywhere = (theme.paper, theme.space, theme.panel)
        for ground in (*everywhere, theme.island, theme.end_zone, theme.alert_panel, theme.soup):
            assert contrast(theme.ink, ground) >= 7
        for ground in (theme.paper, theme.panel):
            assert contrast(theme.faint, ground) >= 4.5
        for ground in everywhere:
            assert contrast(theme.alert, ground) >= 4.5


# Machado, Oliveira and Fernandes 2009: what linear RGB looks like without one kind of cones.
COLOUR_BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}


def oklab(colour: str, blindness: str) -> np.ndarray:
    """The colour in a space whose distances are those that people see."""
    [channels] = linear(colour)
    seen = np.clip(np.array(COLOUR_BLINDNESS[blindness]) @ channels, 0, 1)
    cones = [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
    lab = [[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45060], [0.02590, 0.78277, -0.80868]]
    return np.array(lab) @ np.cbrt(np.array(cones) @ seen)


@pytest.mark.parametrize("blindness", COLOUR_BLINDNESS)
def test_players_are_told_apart_by_colour_blind_people_too(blindness: str):
    colours = [oklab(colour.fill, blindness) for colour in PLAYERS]
    apart = [np.linalg.norm(one - other) for n, one in enumerate(colours) for other in colours[:n]]
    assert min(apart) > 0.06  # 0.02 is just noticeable


# ---------------------------------------------------------------------- tests of the pixels


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_is_visible_in_the_pixels(theme: str):
    games = Games(1, Ruleset(players=6), seed=3)
    games.play_random(max_decisions=220)
    markup = games.svg(0, last_action="player_1: attack 2.3", theme=theme)
    picture = ElementTree.fromstring(markup)
    with_texts = to_array(markup).astype(int)
    for parent in list(picture.iter()):
        for text in parent.findall(f"{SVG}text"):
            text.set("opacity", "0")
    changed = np.abs(to_array(ElementTree.tostring(picture, encoding="unicode")) - with_texts).max(axis=2) > 60
    texts = 0
    for text, place in positions(picture).items():
        if text.tag == f"{SVG}text" and text.text:
            left, top, right, bottom = extent(text, *place)
            pixels = changed[int(top) : int(bottom) + 1, int(left) : int(right) + 1]
            assert pixels.sum() >= 0.05 * (right - left) * (bottom - top), text.text
            texts += 1
    assert texts > 300


def test_pixels_have_the_size_of_the_picture_or_the_width_asked_for():
    games = Games(1)
    pixels = to_array(games.svg(0))
    assert (pixels.dtype, pixels.shape) == (np.uint8, (768, 800, 3))
    assert to_array(games.svg(0), width=400).shape == (384, 400, 3)
    assert to_png(games.svg(0)).startswith(b"\x89PNG")


def test_themes_and_players_colours_are_in_the_pixels():
    games = Games(1, Ruleset(players=6))
    for name, theme in THEMES.items():
        pixels = to_array(games.svg(0, theme=name)).reshape(-1, 3).astype(int)
        colours = {f"#{colour:06x}" for colour in np.unique(pixels @ (1 << 16, 1 << 8, 1))}
        assert {theme.paper, theme.soup, theme.space, *(player.fill for player in PLAYERS)} <= colours


# ---------------------------------------------------------------------- tests of notebooks


def test_a_picture_is_a_text_that_notebooks_show():
    picture = Games(1).svg(0)
    assert isinstance(picture, str)
    assert type(picture._repr_svg_()) is str
    assert picture._repr_svg_() == picture
    assert re.fullmatch(r"<Picture: [\d,]+ characters of SVG>", repr(picture))


@pytest.mark.parametrize(("games", "pictures"), [(1, 1), (3, 3), (100, 4)])
def test_notebooks_show_the_first_few_of_many_games(games: int, pictures: int):
    batch = Games(games)
    html = batch._repr_html_()
    assert html.count("<svg ") == pictures
    assert all(batch.svg(i) in html for i in range(pictures))
    assert f"&lt;Games: {counted(games, 'game')}, 0 finished" in html
