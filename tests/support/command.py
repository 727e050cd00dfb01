"""The command ``ursuppe``, run in the process of the tests, and what has become of other processes."""

import os
import time
from pathlib import Path

import pytest

from ursuppe_env.cli import run


def ursuppe(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit status, and what is written to standard output and standard error."""
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What is written to standard output by a command that does what it is asked."""
    status, out, err = ursuppe(capsys, *arguments)
    assert status == 0, err
    return out


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What is said of wrong input: one line on standard error, and status 2."""
    status, out, err = ursuppe(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("ursuppe: ")
    assert err.count("\n") == 1
    return err


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def end_soon(pids: list[int]) -> bool:
    """Do these processes end within ten seconds?"""
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(is_running, pids))
