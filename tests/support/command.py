"""The command ``ursuppe``, run in the process of the tests."""

from pathlib import Path

import pytest

from ursuppe_env.cli import run


def ursuppe(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit status, and what is written to standard output and standard error."""
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What is said of wrong input: one line on standard error, and status 2."""
    status, out, err = ursuppe(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("ursuppe: ")
    assert err.count("\n") == 1
    return err
