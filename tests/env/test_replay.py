"""``ursuppe replay``: stepping through a record, and writing it as pictures."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageSequence

from ursuppe_env import Ruleset
from ursuppe_env.records import Record, read_records, record_games, write_records
from ursuppe_env.records.film import Frame, frames, write_gif, write_svgs
from ursuppe_env.render.ansi import draw_ansi
from ursuppe_env.render.png import to_array

from support.command import refusal, ursuppe
from support.records import left_after
from support.terminal import Terminal

ONE_ROUND = Ruleset(players=3, environment=[("west", 9), ("none", 14)])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games of one round each."""
    file = tmp_path_factory.mktemp("records") / "games.jsonl.gz"
    write_records(file, record_games(3, ONE_ROUND, seed=7))
    return file


@pytest.fixture(scope="module")
def record(file: Path) -> Record:
    """The first of them."""
    return next(read_records(file))


@pytest.fixture(scope="module")
def film(record: Record) -> list[Frame]:
    return list(frames(record))


def decisions(record: Record) -> list[list]:
    return [event for event in record.events if len(event) == 3]


def test_a_frame_for_each_decision_and_one_for_the_end(record: Record, film: list[Frame]):
    asked = decisions(record)
    assert len(film) == len(asked) + 1
    for frame, (_, player, action) in zip(film, asked, strict=False):
        assert frame.games.player[0] == player
        mask = frame.games.legal()[0]
        assert mask[frame.games.actions.id(action, player)]
    assert film[-1].games.finished[0]
    assert film[-1].games.markers[0].tolist() == record.result["markers"]


def test_between_two_frames_lies_what_has_happened(record: Record, film: list[Frame]):
    told = [part for frame in film for part in (frame.last_action or "").split(" · ") if part]
    assert len(told) == len(record.events)
    for text, event in zip(told, record.events, strict=True):
        if len(event) == 3:
            assert text == f"player_{event[1]}: {event[2]}"
        else:
            assert text.split()[0] == event[0]
    assert re.fullmatch(r"card \w+ \d+ · start_order \d \d \d", film[0].last_action)
    for frame, (_, player, action) in zip(film[1:], decisions(record), strict=True):
        assert frame.last_action.startswith(f"player_{player}: {action}")


def test_a_game_that_is_not_over_ends_where_it_was_left(capsys, tmp_path: Path, record: Record, film: list[Frame]):
    left = film[20].games
    places = [place for place, event in enumerate(record.events) if len(event) == 3]
    unfinished = left_after(record, places[20])
    shown = list(frames(unfinished))
    assert len(shown) == 21
    assert (shown[-1].games.state == left.state).all()
    write_records(tmp_path / "left.jsonl", [unfinished])
    status, out, _ = ursuppe(capsys, "replay", tmp_path / "left.jsonl")
    assert status == 0
    assert "decision 20 of 20" in out
    assert "left.jsonl, game 1 · left here" in out


def test_one_svg_a_decision(capsys, tmp_path: Path, file: Path, film: list[Frame]):
    folder = tmp_path / "pictures"
    status, out, err = ursuppe(capsys, "replay", file, "--svg", folder)
    assert (status, out, err) == (0, f"{folder}: {len(film)} pictures\n", "")
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"{number:04}.svg" for number in range(1, len(film) + 1)]
    for name, frame in zip(names, film, strict=True):
        markup = (folder / name).read_text(encoding="utf-8")
        assert markup == frame.games.svg(0, frame.last_action)
        ElementTree.fromstring(markup)
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]


def test_gif(capsys, tmp_path: Path, monkeypatch, file: Path, film: list[Frame]):
    monkeypatch.setattr(sys.modules["ursuppe_env.cli.replay"], "frames", lambda record: film[:3])
    path = tmp_path / "game.gif"
    assert ursuppe(capsys, "replay", file, "--gif", path, "--fps", "4") == (0, f"{path}: 3 frames\n", "")
    with Image.open(path) as gif:
        assert gif.info["loop"] == 0  # for ever
        shown = [np.array(frame.convert("RGB")).astype(int) for frame in ImageSequence.Iterator(gif)]
        assert {frame.info["duration"] for frame in ImageSequence.Iterator(gif)} == {250}
    assert len(shown) == 3
    for image, frame in zip(shown, film, strict=False):
        assert np.abs(image - to_array(frame.games.svg(0, frame.last_action))).mean() < 3
    assert all((one != other).any() for one, other in pairwise(shown))


@pytest.mark.parametrize(("kind", "pictures"), [("gif", "2 frames"), ("html", "2 positions")])
def test_what_is_there_is_written_over_by_force_only(
    capsys, tmp_path: Path, monkeypatch, file: Path, film: list[Frame], kind: str, pictures: str
):
    monkeypatch.setattr(sys.modules["ursuppe_env.cli.replay"], "frames", lambda record: film[:2])
    out = tmp_path / f"game.{kind}"
    out.write_bytes(b"old")
    expected = f"ursuppe: {out} exists already; give another name, or --force to write over it\n"
    assert refusal(capsys, "replay", file, f"--{kind}", out) == expected
    assert out.read_bytes() == b"old"
    assert ursuppe(capsys, "replay", file, f"--{kind}", out, "--force") == (0, f"{out}: {pictures}\n", "")
    assert out.read_bytes() != b"old"


@pytest.mark.parametrize("write", [write_svgs, lambda path, film: write_gif(path, film, 2)])
def test_whole_or_not_at_all(tmp_path: Path, film: list[Frame], write):
    def interrupted() -> Iterator[Frame]:
        yield from film[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out.gif", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_stays(tmp_path: Path, film: list[Frame]):
    folder = tmp_path / "pictures"
    write_svgs(folder, film[:2])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert len(before) == 2
    with pytest.raises(ValueError, match="this exists already; give a new folder"):
        write_svgs(folder, film[:3])
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_without_a_terminal_all_positions_are_printed(capsys, file: Path, film: list[Frame]):
    status, out, _ = ursuppe(capsys, "replay", file)
    assert status == 0
    pages = re.split(r"^(?=games\.jsonl\.gz, game 1 · )", out, flags=re.MULTILINE)[1:]
    assert len(pages) == len(film)
    for number, (page, frame) in enumerate(zip(pages, film, strict=True), 1):
        title, picture = page.split("\n", 1)
        assert title.endswith(f"decision {number} of {len(film) - 1}" if number < len(film) else "the end")
        assert picture.rstrip("\n") == draw_ansi(
            frame.games.state[0], frame.games.ruleset, frame.last_action, color=False
        )


def test_other_games_of_the_file(capsys, file: Path):
    third = list(read_records(file))[2]
    status, out, _ = ursuppe(capsys, "replay", file, "--game", "3")
    assert status == 0
    assert f"game 3 · decision 1 of {len(decisions(third))}" in out
    assert f"player_{third.result['winner']} has the furthest marker" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.jsonl"], "missing.jsonl: No such file"),
        (["empty.jsonl"], "empty.jsonl: there is no game 1; it has 0"),
        (["games.jsonl.gz", "--game", "4"], "games.jsonl.gz: there is no game 4; it has 3"),
        (["games.jsonl.gz", "--game", "0"], "--game is '0'; it must be "),
        (["games.csv"], "games.csv: the name of a file of records must end in .jsonl or .jsonl.gz"),
        (["broken.jsonl"], "broken.jsonl, game 1: event 5"),
        (["games.jsonl.gz", "--svg", "."], ".: this exists already; give a new folder"),
        (["games.jsonl.gz", "--svg", "no/pictures"], "no/pictures: there is no folder no"),
        (["games.jsonl.gz", "--gif", "game.png"], "game.png: the name of an animated picture must end in .gif"),
        (["games.jsonl.gz", "--gif", "folder.gif"], "folder.gif: this is a folder; give the name of a file"),
        (["games.jsonl.gz", "--svg", "pictures", "--gif", "game.png"], "must end in .gif"),
        (["games.jsonl.gz", "--fps", "4"], "--fps is of a GIF; give --gif, too"),
        (["games.jsonl.gz", "--gif", "game.gif", "--fps", "0"], "--fps is '0'; it must be "),
        (["games.jsonl.gz", "--gif", "game.gif", "--fps", "51"], "--fps is '51'; it must be "),
        (["games.jsonl.gz", "--html", "game.htm"], "game.htm: the name of a page must end in .html"),
        (["games.jsonl.gz", "--html", "no/game.html"], "no/game.html: there is no folder no"),
        ([], "Missing argument 'FILE'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_input_is_one_line_and_status_2(
    capsys, tmp_path: Path, monkeypatch, file: Path, arguments: list[str], says: str
):
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").touch()
    Path("folder.gif").mkdir()
    Path("games.jsonl.gz").write_bytes(file.read_bytes())
    first = next(read_records(file))
    first.events[5] = ["die", 1]
    write_records("broken.jsonl", [first])
    before = sorted(tmp_path.rglob("*"))
    assert says.lower() in refusal(capsys, "replay", *arguments).lower()
    assert sorted(tmp_path.rglob("*")) == before


def page(terminal: Terminal, command: str = "") -> str:
    """What is shown after this command, up to the next prompt or the end."""
    terminal.press(command)
    return terminal.read("\n> ")


@pytest.fixture
def terminal(file: Path) -> Iterator[Terminal]:
    terminal = Terminal("replay", file)
    yield terminal
    terminal.close()


def test_a_person_steps_through_a_game(terminal: Terminal, film: list[Frame]):
    last = len(film) - 1
    first_of_round = [int(frame.games.rounds[0]) for frame in film].index(1)

    def picture(number: int) -> str:
        games, last_action, *_ = film[number]
        return draw_ansi(games.state[0], games.ruleset, last_action, color=False)

    shown = page(terminal)
    assert f"games.jsonl.gz, game 1 · decision 1 of {last}\n{picture(0)}" in shown
    for command, number in [
        ("\n", 1),
        ("n\n", 2),
        ("b\n", 1),
        ("back\n", 0),
        ("r 1\n", first_of_round),
        ("round 0\n", 0),
        ("d 7\n", 6),
        (f"decision {last}\n", last - 1),
        ("next\n", last),
    ]:
        shown = page(terminal, command)
        assert picture(number) in shown, command
        assert (f"decision {number + 1} of {last}" if number < last else "the end") in shown
        assert shown.endswith("Enter: next   b: back   r 3: to round 3   d 40: to decision 40   q: quit\n> ")
    for command, says in [
        ("\n", "this is the end of the record; q quits"),
        ("d 0\n", f"there is no decision 0; decisions are 1 ... {last}"),
        (f"d {last + 1}\n", f"there is no decision {last + 1}; decisions are 1 ... {last}"),
        ("r 2\n", "there is no round 2; rounds are 0 ... 1"),
        ("fly\n", "'fly' is no command"),
        ("d x\n", "'d x' is no command"),
    ]:
        shown = page(terminal, command)
        assert says in shown
        assert picture(last) in shown
    assert picture(0) in page(terminal, "d 1\n")
    assert "this is the beginning of the game" in page(terminal, "b\n")
    page(terminal, "q\n")
    assert terminal.status() == 0


def test_the_end_of_input_ends_it(terminal: Terminal):
    page(terminal)
    assert "Traceback" not in page(terminal, "\x04")
    assert terminal.status() == 0


def test_ctrl_c_ends_it(terminal: Terminal):
    page(terminal)
    for _ in range(20):  # again if it came in the moment between the prompt and the reading of the answer
        terminal.press("\x03")
        with contextlib.suppress(subprocess.TimeoutExpired):
            terminal.process.wait(timeout=3)
            break
    assert "Traceback" not in page(terminal)
    assert terminal.status() == 130
