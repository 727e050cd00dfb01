"""The page that replays a game: whole, small, closed to strangers' code, and made of what `games.svg` draws."""

import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.records import Record, record_games, replay, write_records
from ursuppe_env.records.film import Frame, frames
from ursuppe_env.records.page import VIEWER, VIEWER_MODULES, replay_page, self_contained_page
from ursuppe_env.records.reel import reel_of
from ursuppe_env.render.narration import event_in_words, told
from ursuppe_env.render.svg.theme import PLAYERS, THEMES, style_sheet

from support.command import ursuppe
from support.pages import STRANGER, between, data_of

MODULES = [*VIEWER_MODULES, "replay.js"]
ONE_ROUND = Ruleset(players=3, environment=[("west", 9), ("none", 14)])


@pytest.fixture(scope="module")
def record() -> Record:
    return next(record_games(1, ONE_ROUND, seed=7, agents=["a", STRANGER, "c"]))


@pytest.fixture(scope="module")
def film(record: Record) -> list[Frame]:
    return list(frames(record))


@pytest.fixture(scope="module")
def page(film: list[Frame], record: Record) -> str:
    return replay_page(reel_of(film, record), f"game of {STRANGER}")


def test_every_position_is_there_as_it_is_drawn(page: str, film: list[Frame], record: Record):
    reel = data_of(page)["reel"]
    assert reel == json.loads(json.dumps(reel_of(film, record)))
    assert len(reel["pictures"]) == len(reel["moments"]) == len(film)
    assert len(set(reel["elements"])) == len(reel["elements"])
    for picture, frame in zip(reel["pictures"], film, strict=True):
        markup = "".join(reel["elements"][number] for number in picture)
        assert markup == frame.games.svg(0, frame.last_action, theme="page")
        assert " style=" not in markup


def test_what_is_said_of_each_moment(film: list[Frame], record: Record):
    reel = reel_of(film, record)
    assert reel["players"] == ["a", STRANGER, "c"]
    first, last = reel["moments"][0], reel["moments"][-1]
    assert (first["round"], first["phase"]) == (0, "set-up")
    assert first["now"] == f"to decide: player {film[0].games.player[0]} – start place: which start place to take"
    assert first["player"] == film[0].games.player[0]
    assert first["told"][0] == event_in_words(record.events[0])
    assert last["now"].startswith(f"game over: player {record.result['winner']} has the furthest")
    assert last["player"] is None
    assert all(moment["told"] for moment in reel["moments"])


def test_a_record_without_names_has_none(film: list[Frame], record: Record):
    assert reel_of(film[:1], replace(record, agents=None))["players"] == [None, None, None]


def test_each_event_is_told_once_with_what_comes_of_it(film: list[Frame], record: Record):
    steps = [(step.event, step.games.state[0].copy()) for step in replay(record)]
    lines = [line for event, game in steps[:-1] for line in told(event, game, record.ruleset)]
    assert [line for frame in film for line in frame.told] == lines
    assert [frame.event for frame in film[:-1]] == [n for n, event in enumerate(record.events) if len(event) == 3]
    assert film[-1].event == len(record.events)


def test_a_usual_game_takes_far_less_than_two_megabytes():
    game = next(record_games(1, Ruleset(), seed=1))
    page = replay_page(reel_of(frames(game), game), "game")
    assert len(data_of(page)["reel"]["pictures"]) > 150
    assert len(page.encode()) < 500_000


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_its_own_script_and_style_and_nothing_else(page: str):
    policy = between(page, '<meta http-equiv="Content-Security-Policy" content="', '"')
    allowed = dict(directive.split(maxsplit=1) for directive in policy.split("; "))
    assert allowed == {
        "default-src": "'none'",
        "script-src": digest(between(page, '<script type="module">', "</script>")),
        "style-src": digest(between(page, "<style>", "</style>")),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert set(re.findall(r"https?://[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_names_are_text(page: str):
    assert "<img" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert data_of(page)["reel"]["players"][1] == STRANGER
    assert "<title>game of &lt;/script&gt;&lt;img" in page


def test_modules_are_checked_by_a_type_checker_and_import_what_stands_before_them():
    before: set[str] = set()
    for name in MODULES:
        text = (VIEWER / name).read_text(encoding="utf-8")
        assert text.startswith("// @ts-check\n")
        assert set(re.findall(r'^import .* from "\./(.*)";$', text, re.MULTILINE)) <= before
        before.add(name)


def test_all_modules_are_one_script(page: str):
    script = between(page, '<script type="module">', "</script>")
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|class|const|let) ([\w$]+)", script, re.MULTILINE)
    assert {"element", "Film", "Player", "inlineData"} <= set(names)
    assert len(set(names)) == len(names)


def test_the_words_of_the_data_need_no_escapes():
    page = self_contained_page("t", ["run();\n"], ["p {}"], {"name": "</script>", "other": "\ud800"})
    assert data_of(page) == {"name": "</script>", "other": "\ud800"}
    assert '<script type="module">run();\n</script>' in page
    assert page.count("</script>") == 2


def test_the_colours_of_pages_are_those_of_the_themes():
    games = Games(1, Ruleset(players=6))
    of_page, light, dark = (games.svg(0, theme=theme) for theme in ("page", "light", "dark"))
    sheets = style_sheet().split("@media (prefers-color-scheme: dark)")
    assert set(re.findall(r"var\((--[\w-]+)\)", of_page)) <= set(re.findall(r"(--[\w-]+):", sheets[0]))
    for sheet, theme, drawn in zip(sheets, ("light", "dark"), (light, dark), strict=True):
        values = dict(re.findall(r"(--[\w-]+): (#\w+);", sheet))
        assert values["--ursuppe-end-zone"] == THEMES[theme].end_zone
        filled = re.sub(r"var\((--[\w-]+)\)", lambda found, values=values: values[found[1]], of_page)
        assert filled.replace('data-theme="page"', f'data-theme="{theme}"') == re.sub(' style="[^"]*"', "", drawn)
    for number, paint in enumerate(PLAYERS):
        assert f"--player-{number}: {paint.fill}; --player-{number}-edge: {paint.edge};" in sheets[0]


def test_the_command_writes_the_page_and_nothing_else(capsys, tmp_path: Path, film: list[Frame], record: Record):
    file, path = tmp_path / "games.jsonl", tmp_path / "game.html"
    write_records(file, [record, record])
    status, out, err = ursuppe(capsys, "replay", file, "--game", "2", "--html", path)
    assert (status, out, err) == (0, f"{path}: {len(film)} positions\n", "")
    assert path.read_text(encoding="utf-8") == replay_page(reel_of(film, record), "games.jsonl, game 2")
    assert sorted(tmp_path.iterdir()) == [path, file]
