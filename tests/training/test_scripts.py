"""The training scripts of one file each learn, and what they write plays."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_lab.arena import Tournament, play_tournament

SCRIPTS = Path(__file__).parents[2] / "training" / "scripts"


#: The time goes into games that say how good each policy is; fewer are enough here.
SMALL_PSRO = """
import psro
psro.GENERATIONS, psro.PAYOFF_GAMES = 3, 10
psro.train(**psro.arguments(psro.__doc__))
"""


def script(name, *arguments):
    program = ["-c", SMALL_PSRO] if name == "psro" else [f"{name}.py"]
    command = [sys.executable, "-W", "error", *program, *map(str, arguments)]
    done = subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def wins_against_random(spec):
    tournament = Tournament(lineups=((spec, "random", "random", "random"),), ruleset=Ruleset(), num_games=400, seed=5)
    return play_tournament(tournament, workers=1)[1].lineups[0].win_rates[spec].estimate


@pytest.mark.parametrize(
    ("name", "spec", "steps"),
    [
        ("ppo", "ppo:Player:model={}", 150_000),
        ("mmd", "ppo:Player:model={}", 250_000),
        ("psro", "psro:Player:model={}", 100_000),
        ("expert_iteration", "ppo:Player:model={}", 200_000),
        ("maskable_ppo_sb3", "sb3:{}", 100_000),
    ],
)
def test_self_play_beats_random_players_soon(name, spec, steps, tmp_path, monkeypatch):
    out = tmp_path / "model.zip"
    script(name, "--steps", steps, "--out", out)
    assert list(tmp_path.iterdir()) == [out]
    monkeypatch.chdir(SCRIPTS)
    assert wins_against_random(spec.format(out)) > 1 / 3  # by chance a quarter, and so many in one case of 10,000


def test_behaviour_cloning_learns_to_play_from_a_data_set(tmp_path: Path):
    records, data = tmp_path / "games.jsonl.gz", tmp_path / "games"
    assert run(["record", "--games", "120", "--agents", "hunter", "--workers", "1", str(records)]) == 0
    assert run(["export", str(records), "--out", str(data), "--observations", "uint8"]) == 0
    told = script("behaviour_cloning", data)
    agree, wins = re.findall(r"^([\d.]+)% of [\d,]+ decisions|^it wins (\d+) of 200 games", told, re.MULTILINE)
    assert float(agree[0]) > 50
    assert int(wins[1]) > 65  # a random player wins 50, and so many in less than one case of a hundred


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_can_be_read_in_one_go(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250
