"""The command ``ursuppe``, run in the process of the tests."""

from pathlib import Path

import pytest

from ursuppe_env.cli import run


def ursuppe(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit status, and what is written to standard output and standard error."""
    status = run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err
