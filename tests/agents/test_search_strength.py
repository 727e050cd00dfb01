"""The benchmark of a guided search plays what it says, and goes on where it was interrupted; strength is not asked."""

import importlib
import sys
from pathlib import Path

import pytest

from ursuppe_training.models import save_policy

from support.policies import SMALL, random_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("search_strength")


@pytest.fixture
def policy_file(tmp_path) -> Path:
    save_policy(random_policy(), SMALL, tmp_path / "policy.zip")
    return tmp_path / "policy.zip"


def test_each_budget_and_the_policy_itself_play_the_same_games(benchmark, policy_file, tmp_path):
    strengths = benchmark.measure(str(policy_file), "sims", [2, 3], 4, tmp_path / "out")
    assert [one.budget for one in strengths] == [None, 2, 3]
    assert [one.games for one in strengths] == [4, 4, 4]
    assert all(one.milliseconds > 0 for one in strengths)
    again = benchmark.measure(str(policy_file), "sims", [2, 3], 4, tmp_path / "out")
    assert again == strengths  # times and all: nothing was played again
    with pytest.raises(ValueError, match="holds another run: its games is 4, not 8"):
        benchmark.measure(str(policy_file), "sims", [2], 8, tmp_path / "out")


def test_it_prints_a_table_and_draws_a_picture(benchmark, policy_file, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    arguments = ["search_strength.py", str(policy_file), "--sims", "2", "--games", "4", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", arguments)
    benchmark.main()
    printed = capsys.readouterr().out
    assert "likeliest actions" in printed
    assert "budget, sims" in printed
    assert (out / "strength.svg").read_bytes().startswith(b"<svg")
