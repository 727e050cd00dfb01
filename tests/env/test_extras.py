"""Where an extra is not installed, whatever needs it says how to install it, in one line."""

import json
import pickle
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from ursuppe_agents import make_agent
from ursuppe_env import __version__
from ursuppe_env.extras import EXTRAS, MissingExtraError, extra, require_extra

from support.command import ursuppe

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
PACKAGES = ("ursuppe_env", "ursuppe_agents", "ursuppe_lab", "ursuppe_play", "ursuppe_training")
ADVICE = re.compile(r"(\w+) is not installed; install it with: pip install 'ursuppe-env\[(\w+)\]'$")
MINIMAL = f"""
import sys
sys.modules.update(dict.fromkeys({sorted({module for modules in EXTRAS.values() for module in modules})}))
"""


def minimal(code: str) -> subprocess.CompletedProcess[str]:
    """Run code where no extra is installed."""
    return subprocess.run([sys.executable, "-c", MINIMAL + code], capture_output=True, text=True, check=False)


#: Commands that need an extra, and which.
NEEDING = {
    "train quick --set steps=1": "train",
    "evaluate policy:default": "train",
    "exploit hunter": "train",
    "arena random greedy": "arena",
    "balance editions": "balance",
    "speed --device cuda": "cuda",
}
RUN_ALL = """
import io, json, shlex
from contextlib import redirect_stderr, redirect_stdout
from ursuppe_env.cli import run

answers = {}
for command in COMMANDS:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = run(shlex.split(command))
    answers[command] = status, out.getvalue(), err.getvalue()
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[int, str, str]]:
    """Of commands where no extra is installed: the exit status, and what is written to stdout and stderr."""
    done = minimal(f"COMMANDS = {[*NEEDING, '--help', 'train --help']}{RUN_ALL}")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_the_modules_of_each_extra_are_those_that_it_brings():
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    def modules(name: str) -> set[str]:
        found = set()
        for requirement in extras[name]:
            inner = re.match(r"ursuppe-env\[(\w+)\]", requirement)
            found |= modules(inner[1]) if inner else {re.match(r"[\w-]+", requirement)[0].replace("-", "_")}
        return found

    assert set(EXTRAS) <= set(extras)
    for name in ("arena", "balance", "ray", "train"):  # the others bring modules of other names
        assert set(EXTRAS[name]) == modules(name)


@pytest.mark.parametrize("name", ["arena", "balance", "train"])  # what `make` installs
def test_all_of_an_extra_is_there_where_it_is_installed(name):
    require_extra(name)


def test_every_module_can_be_imported_or_names_the_extra_that_it_needs():
    names = [
        info.name
        for package in map(import_module, PACKAGES)
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not info.name.endswith("__main__")
    ]
    code = f"""
from importlib import import_module
for name in {names}:
    try:
        import_module(name)
    except ImportError as error:
        print(name, type(error).__name__, error)
"""
    done = minimal(code)
    assert (done.returncode, done.stderr) == (0, "")
    needing = {}
    for line in done.stdout.splitlines():
        name, kind, message = line.split(" ", 2)
        advice = ADVICE.match(message)
        assert kind == "MissingExtraError", line
        assert advice, line
        assert advice[1] in EXTRAS[advice[2]], line
        needing[name] = advice[2]
    assert needing["ursuppe_env.envs.sb3"] == "train"
    assert needing["ursuppe_training.networks.files"] == needing["ursuppe_training.runs.trainer"] == "train"
    for library, needed in (("rllib", "rllib"), ("torchrl", "torchrl"), ("open_spiel", "openspiel")):
        assert needing[f"ursuppe_env.envs.{library}"] == needed
    assert needing["ursuppe_env.cuda.device"] == "cuda"
    assert needing["ursuppe_lab.arena"] == "arena"
    assert needing["ursuppe_lab.balance"] == "balance"
    assert needing["ursuppe_play.web.app"] == "web"
    heavy = tuple(f"ursuppe_env.envs.{library}" for library in ("sb3", "rllib", "torchrl", "open_spiel"))
    heavy += ("ursuppe_env.cuda.device", "ursuppe_agents.policies.sb3_agent", "ursuppe_training", "ursuppe_lab")
    heavy += ("ursuppe_play.analysis", "ursuppe_play.web")
    assert [name for name in needing if not name.startswith(heavy)] == []


def test_another_module_that_is_missing_is_reported_as_ever():
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module'") as raised, extra("train"):
        import_module("no_such_module")
    assert not isinstance(raised.value, MissingExtraError)


def test_a_module_below_one_of_an_extra_counts_as_that(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="torch is not installed; ") as raised, extra("train"):
        import_module("torch.no_such_module")
    assert raised.value.name == "torch"
    copy = pickle.loads(pickle.dumps(raised.value))  # as from a worker
    assert (str(copy), copy.name) == (str(raised.value), "torch")


def test_an_agent_that_needs_an_extra_names_it(tmp_path, monkeypatch):
    (tmp_path / "tables_bots.py").write_text(
        "from ursuppe_env.extras import extra\nwith extra('arena'):\n    import polars\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ValueError, match=r"'tables_bots:Bot' cannot be loaded: polars .* 'ursuppe-env\[arena\]'$"):
        make_agent("tables_bots:Bot", seed=0)


def test_trained_policies_play_and_foretell_and_environments_are_made_where_no_extra_is_installed(tmp_path):
    file = str(tmp_path / "games.jsonl")
    agents = ["--agents", "policy:default,hunter,random", "--players", "3"]
    code = f"from ursuppe_env.cli import run; run({['record', *agents, '--games', '2', '--workers', '1', file]})"
    code += """
import gymnasium
import numpy as np
from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
games = Games(1, Ruleset(players=3), seed=1)
print(make_agent("policy:default", seed=0).values(games, np.arange(1)).sum())
print(make_agent("search:sims=4,policy=default", seed=0).act(games, np.arange(1))[0] >= 0)
for make in (gymnasium.make, gymnasium.make_vec):
    make("ursuppe_env/Ursuppe-v0").reset(seed=1)
"""
    done = minimal(code)
    assert (done.returncode, done.stderr) == (0, "")
    said, chances, acted = done.stdout.splitlines()
    assert said == f"{file}: 2 games"
    assert float(chances) == pytest.approx(1)
    assert acted == "True"


@pytest.mark.parametrize(("command", "needed"), NEEDING.items())
def test_a_command_that_needs_an_extra_says_so_in_one_line(answers: dict, command: str, needed: str):
    status, out, err = answers[command]
    assert (status, out) == (2, "")
    assert err.startswith("ursuppe: ")
    assert err.count("\n") == 1
    assert err.endswith(f"install it with: pip install 'ursuppe-env[{needed}]'\n")


def test_the_help_lists_all_commands_also_those_that_are_not_installed(answers: dict):
    status, out, err = answers["--help"]
    assert (status, err) == (0, "")
    playing, learning = ("arena", "balance", "play", "record", "replay"), ("evaluate", "exploit", "train")
    for command in (*playing, *learning, "speed", "cache", "check"):
        assert f"│ {command} " in out
    status, out, err = answers["train --help"]
    assert (status, err) == (0, "")
    assert "pip install 'ursuppe-env[train]'" in " ".join(out.split())


def test_the_package_runs_as_a_program(capsys):
    done = subprocess.run([sys.executable, "-m", "ursuppe_env", "fly"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "ursuppe: No such command 'fly'.\n")
    assert ursuppe(capsys, "--version") == (0, f"ursuppe-env {__version__}\n", "")
