"""The progress bar of long commands, and Ctrl-C while it is there."""

import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from ursuppe_env.cli import progress as progress_module
from ursuppe_env.cli.progress import progress_bar


@pytest.fixture(autouse=True)
def pythons_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def swallow_ctrl_c() -> None:
    """What a library does that drops the errors of what it calls."""
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_a_library_swallowed_comes_at_the_next_update():
    with progress_bar() as progress:
        task = progress.add_task("games", total=2)
        progress.update(task, completed=1)
        swallow_ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            progress.update(task, completed=2)
    assert progress.tasks[0].completed == 1


def test_without_a_terminal_it_is_a_line_now_and_then(monkeypatch, capsys):
    now = iter([0, 10, 31, 40, 62])
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=lambda: next(now)))
    with progress_bar() as progress:
        task = progress.add_task("games \\[of two]", total=4000)
        for completed in (1, 1000, 2000, 3000):
            progress.update(task, completed=completed)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["games [of two]: 1", "games [of two]: 3"]
    assert lines[0].startswith("games [of two]: 1,000 of 4,000")


@pytest.mark.parametrize("pause", [19, 700])
def test_the_time_left_of_work_that_counts_in_bursts(pause: int):
    now = 0.0
    with progress_bar() as progress:
        progress.get_time = lambda: now
        task = progress.add_task("decisions", total=1000)
        for _ in range(5):
            for _ in range(10):
                now += 0.1
                progress.advance(task)
            now += pause
        assert progress.tasks[0].time_remaining == pytest.approx(950 / 50 * now, rel=0.2)


# Presses Ctrl-C while Polars is at work, twenty times, and prints how many exceptions came of it.
POLARS_AT_WORK = """
import io, os, signal, threading, time
import polars as pl
from ursuppe_env.cli.progress import progress_bar

table = pl.DataFrame({"number": range(2000)})
interrupts = 0
for _ in range(20):
    waiting = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
    before = interrupts
    with progress_bar() as progress:
        task = progress.add_task("tables")
        waiting.start()
        while interrupts == before:
            try:
                table.write_parquet(io.BytesIO())
                progress.update(task, advance=1)
            except KeyboardInterrupt:
                interrupts += 1
        try:
            time.sleep(0.02)
        except KeyboardInterrupt:
            interrupts += 1
print(interrupts)
"""


def test_an_interrupt_is_one_exception_also_while_polars_is_at_work():
    assert subprocess.run([sys.executable, "-c", POLARS_AT_WORK], capture_output=True, text=True).stdout == "20\n"


def test_pythons_own_handler_is_back_afterwards():
    with progress_bar():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        swallow_ctrl_c()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None])
def test_who_ignores_ctrl_c_or_handles_it_keeps_to_that(handler):
    signal.signal(signal.SIGINT, handler)
    with progress_bar() as progress:
        task = progress.add_task("games", total=1)
        signal.raise_signal(signal.SIGINT)
        progress.update(task, completed=1)
        assert signal.getsignal(signal.SIGINT) is handler
    assert progress.tasks[0].completed == 1


def test_beside_the_main_thread_it_leaves_signals_alone():
    completed = []

    def work() -> None:
        with progress_bar() as progress:
            task = progress.add_task("games", total=1)
            progress.update(task, completed=1)
            completed.append(progress.tasks[0].completed)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert completed == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_that_updates_is_not_interrupted():
    """The exception belongs to the main thread."""
    with progress_bar() as progress:
        task = progress.add_task("games", total=2)
        swallow_ctrl_c()
        thread = threading.Thread(target=progress.advance, args=(task,))
        thread.start()
        thread.join()  # a warning, and so an error, if the thread raised
        assert progress.tasks[0].completed == 1
        with pytest.raises(KeyboardInterrupt):
            progress.advance(task)


# Ctrl-C comes while an object is destroyed, where Python can raise nothing.
IN_A_DESTRUCTOR = """
import signal
from ursuppe_env.cli import app, main
from ursuppe_env.cli.progress import progress_bar

class Fragile:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

@app.command()
def break_it():
    Fragile()
    with progress_bar() as progress:
        list(progress.each([1, 2], "things", 2))
    print("not interrupted")

main()
"""


def test_an_interrupt_in_a_destructor_before_the_bar_comes_with_it_and_is_one_line():
    done = subprocess.run([sys.executable, "-c", IN_A_DESTRUCTOR, "break-it"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "ursuppe: interrupted\n")
