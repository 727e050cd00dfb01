"""What several tests of the laboratory's commands share."""

import re

import pytest

from ursuppe_env.cli import run


@pytest.fixture
def refused(capsys):
    """Runs a command that must be refused in one line, which the pattern describes, and print nothing else."""

    def run_it(command, message):
        capsys.readouterr()  # that of earlier commands
        assert run([str(part) for part in command]) == 2
        out, error = capsys.readouterr()
        assert (out, error[:9], error.count("\n")) == ("", "ursuppe: ", 1)
        assert re.search(message, error), error

    return run_it
