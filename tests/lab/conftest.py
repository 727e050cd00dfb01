"""What several tests of the laboratory share."""

import re

import pytest

from support.benchmarks import played, played_once, small  # noqa: F401 (fixtures)
from support.command import refusal


@pytest.fixture
def refused(capsys):
    """Runs a command that must be refused in one line, which the pattern describes, and print nothing else."""

    def run_it(command, message):
        capsys.readouterr()  # that of earlier commands
        error = refusal(capsys, *command)
        assert re.search(message, error), error

    return run_it
