"""Commands and figures that other packages add by entry points, also broken ones."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ursuppe_env import bench
from ursuppe_env.cli import run
from ursuppe_env.cli.extensions import extensions

CODE = """
from ursuppe_env.bench import Figure, Goal, Unavailable

NUMBER = 7

def hop():
    print("hopped")

def simulations(effort):
    return [Figure("simulations", "simulations/s", (2.0, 3.0)[: effort.repetitions], Goal(1), batch=64)]

def locked(effort):
    raise Unavailable("the search needs a key")
"""

ENTRY_POINTS = """
[ursuppe.commands]
hop = frog:hop
limp = frog:leg
[ursuppe.measures]
frog-absent = no_such_module:measure
frog-locked = frog:locked
frog-number = frog:NUMBER
frog-search = frog:simulations
"""

LIMP = "ursuppe: warning: limp of frog-games (ursuppe.commands) cannot be loaded: AttributeError: "


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder where a distribution is installed that adds to ours, partly in vain."""
    (tmp_path / "frog.py").write_text(CODE)
    information = tmp_path / "frog_games-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: frog-games\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


@pytest.fixture
def installed(site: Path, monkeypatch):
    monkeypatch.syspath_prepend(site)
    yield
    sys.modules.pop("frog", None)


def test_what_is_broken_is_named_and_left_out_and_the_others_go_on(capsys, installed):
    found = extensions("ursuppe.measures")
    assert {name for name in found if "frog" in name} == {"frog-locked", "frog-search"}
    warnings = capsys.readouterr().err.splitlines()
    assert [line for line in warnings if "frog" in line] == [
        "ursuppe: warning: frog-absent of frog-games (ursuppe.measures) cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'",
        "ursuppe: warning: frog-number of frog-games (ursuppe.measures) cannot be loaded: TypeError: 7 is no function",
    ]


def test_a_broken_command_stops_no_other(site: Path):
    def ursuppe(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from ursuppe_env.cli import main; main()", *arguments],
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )

    hopped = ursuppe("hop")
    assert (hopped.returncode, hopped.stdout) == (0, "hopped\n")
    assert hopped.stderr.startswith(LIMP)
    assert hopped.stderr.count("\n") == 1
    limped = ursuppe("limp")
    assert limped.returncode == 2
    assert "No such command 'limp'" in limped.stderr.splitlines()[1]


@pytest.fixture
def only_frogs(monkeypatch):
    """The benchmark without all other parts, which take long."""
    jobs = bench.jobs
    monkeypatch.setattr(bench, "jobs", lambda *arguments: [job for job in jobs(*arguments) if "frog" in job.label])


def test_the_benchmark_shows_the_figures_of_others(capsys, installed, only_frogs):
    assert run(["bench", "--quick", "--no-peers"]) == 0
    out = capsys.readouterr().out
    assert "simulations, 64 games" in out
    assert "2.50 (2.00-3.00) simulations/s" in out
    assert "not measured: the search needs a key" in out


def test_the_figures_of_others_are_in_the_json(capsys, installed, only_frogs):
    assert run(["bench", "--quick", "--no-peers", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (figure,) = printed["figures"]
    assert (figure["median"], figure["unit"], figure["reached"]) == (2.5, "simulations/s", True)
    assert printed["missing"] == {"frog-locked": "the search needs a key"}
