"""Files and folders that appear whole or not at all: whatever happens, and whatever else is written beside them."""

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ursuppe_env import Ruleset
from ursuppe_env.files import atomic_file, atomic_folder, is_empty, write_atomically
from ursuppe_env.jobs import run_jobs
from ursuppe_env.records import record_games, write_records
from ursuppe_lab.jobs.folder import RunFolder

from support.command import refusal
from support.terminal import COMMAND, Terminal

INTERRUPTED, CTRL_C = 130, "\x03"

# Writes a file and a folder, says so when they are half done, and then waits.
WRITER = """
import time
from pathlib import Path
from ursuppe_env.files import atomic_file, atomic_folder

with atomic_file(Path("games.jsonl")) as file, atomic_folder(Path("pictures")) as write:
    file.write(b"half")
    write("1.svg", b"half")
    print("half", flush=True)
    while True:
        time.sleep(0.01)  # a signal that comes just before a long one would not end it
"""


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file of this process grows beyond 50 kB, which stands for a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[subprocess.Popen]:
    """Another process, which is in the midst of writing."""
    command = [sys.executable, "-c", WRITER]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "half\n"
        yield process
        process.kill()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "file"
    write_atomically(path, b"old")
    assert path.read_bytes() == b"old"

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(path.parent.iterdir()) == [path]


def test_a_file_and_a_folder_take_their_names_at_the_end(tmp_path):
    with atomic_file(tmp_path / "file") as file:
        file.write(b"one ")
        assert not (tmp_path / "file").exists()
        file.write(b"two")
    with atomic_folder(tmp_path / "folder") as write:
        write("1", b"one")
        assert not (tmp_path / "folder").exists()
    assert (tmp_path / "file").read_bytes() == b"one two"
    assert (tmp_path / "folder" / "1").read_bytes() == b"one"
    assert names(tmp_path) == ["file", "folder"]
    (tmp_path / "link").symlink_to(tmp_path / "folder")  # stays, and leads to what is new
    with atomic_folder(tmp_path / "link", replaces=True) as write:
        write("2", b"two")
    assert names(tmp_path / "folder") == ["2"]


def test_others_may_read_what_the_umask_lets_them(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"")
        with atomic_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("file", "folder")] == [0o640, 0o750]


def test_a_name_may_be_as_long_as_the_system_lets_it(tmp_path):
    write_atomically(tmp_path / ("x" * 255), b"content")
    assert names(tmp_path) == ["x" * 255]


def test_what_a_killed_process_leaves_goes_with_the_next_write_there(tmp_path, writer):
    writer.kill()
    writer.wait()
    assert len(names(tmp_path)) == 2
    assert all(re.fullmatch(r"\.ursuppe-[0-9a-f]{16}\.unfinished", name) for name in names(tmp_path))
    write_atomically(tmp_path / "other", b"")
    assert names(tmp_path) == ["other"]


def test_what_another_process_is_writing_is_left_alone(tmp_path, writer):
    assert not is_empty(tmp_path)
    write_atomically(tmp_path / "other", b"")
    assert len(names(tmp_path)) == 3
    writer.send_signal(signal.SIGINT)
    writer.wait()
    assert names(tmp_path) == ["other"]


def test_two_that_write_the_same_file_do_not_disturb_each_other(tmp_path):
    """Also in one process, where both have the same number."""
    with atomic_file(tmp_path / "file") as one, atomic_file(tmp_path / "file") as other:
        one.write(b"one")
        other.write(b"other")
    assert (tmp_path / "file").read_bytes() == b"one"  # the last one to end
    assert names(tmp_path) == ["file"]


def test_only_what_is_ours_is_taken_for_a_leftover(tmp_path):
    theirs = [".games.jsonl.123", ".ursuppe-notes", "notes.unfinished"]
    for name in theirs:
        (tmp_path / name).write_text("theirs")
    (tmp_path / ".ursuppe-link.unfinished").symlink_to(tmp_path / ".ursuppe-notes")
    write_atomically(tmp_path / "file", b"")
    assert names(tmp_path) == sorted([*theirs, ".ursuppe-link.unfinished", "file"])


def test_a_folder_with_a_leftover_alone_is_an_empty_one(tmp_path):
    """Killed at the first file of a run, the same command begins anew."""
    (tmp_path / ".ursuppe-0123456789abcdef.unfinished").touch()
    RunFolder(tmp_path, {"seed": 1}, pl.Schema({"game": pl.Int64}))
    assert names(tmp_path) == ["settings.json"]


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path, capsys, full_disk):
    file = tmp_path / "games.jsonl"
    expected = f"ursuppe: {file}: File too large\n"
    assert refusal(capsys, "record", "--games", "20", "--rounds", "--workers", "1", file) == expected
    assert names(tmp_path) == []


def test_so_it_is_by_all_that_write(tmp_path, full_disk):
    with pytest.raises(OSError, match="File too large") as of_a_file:
        write_atomically(tmp_path / "file", b"x" * 60_000)
    with pytest.raises(OSError, match="File too large") as of_a_folder, atomic_folder(tmp_path / "folder") as write:
        write("file", b"x" * 60_000)
    told = [error.value.filename for error in (of_a_file, of_a_folder)]
    assert list(map(str, told)) == [str(tmp_path / "file"), str(tmp_path / "folder" / "file")]
    assert names(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_output_that_is_full_is_one_line():
    code = "from ursuppe_env.cli import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", code, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "ursuppe: No space left on device\n")


LONG = [
    ["record", "--games", "3000", "out.jsonl.gz"],
    ["replay", "games.jsonl", "--gif", "out.gif"],
    ["arena", "random", "grow", "--games", "100000", "--workers", "2"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted")
    write_records(folder / "games.jsonl", record_games(1, Ruleset()))
    return folder


@pytest.mark.parametrize("arguments", LONG, ids=lambda value: " ".join(value[:1] + value[2:3]))
def test_ctrl_c_in_the_midst_is_one_line_and_no_file(folder: Path, arguments: list[str]):
    before = names(folder)
    command = Terminal(*arguments, folder=folder)
    command.read("━")  # the progress bar
    command.read(None, 0.3)
    command.press(CTRL_C)
    shown = command.read(None)
    assert command.status() == INTERRUPTED
    command.close()
    said = [line for line in re.split(r"[\r\n]+", shown) if line and "━" not in line and line != "^C"]
    assert said == ["ursuppe: interrupted"]
    assert names(folder) == before


@pytest.mark.parametrize(("module", "argument"), [("numba", "--help"), ("ursuppe_play.terminal", "play")])
def test_ctrl_c_while_the_package_or_a_part_of_it_is_imported_is_one_line(module: str, argument: str):
    """``ursuppe_command`` is there before anything takes its time."""
    code = f"""
import os, runpy, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
runpy.run_path({str(COMMAND)!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code, argument], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "ursuppe: interrupted\n")


def hears_of_interrupts(_: int) -> bool:
    return signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_workers_leave_ctrl_c_to_their_parent_from_their_first_moment_on():
    """Not only once they have imported what they need: until then each would show a traceback of its own."""
    assert [answer for _, answer in run_jobs(hears_of_interrupts, [1, 2], workers=2)] == [False, False]
    assert hears_of_interrupts(0)  # the parent goes on hearing of them


def test_a_folder_takes_its_name_when_all_of_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    done: list[tuple[str, int]] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (done.append(("sync", os.fstat(file).st_ino)), sync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append(("named", 0)), replace(*paths)))
    with atomic_folder(tmp_path / "folder") as write:
        write("one", b"1")
        write("inner/two", b"2")
    before = done[: done.index(("named", 0))]
    for path in (tmp_path / "folder", tmp_path / "folder/one", tmp_path / "folder/inner/two"):
        assert ("sync", path.stat().st_ino) in before
