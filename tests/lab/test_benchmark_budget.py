"""Tasks with a budget: what an agent simulates is counted, held within it, and counted again."""

import json

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games
from ursuppe_lab.arena import AgentError
from ursuppe_lab.benchmark import Entry, read_results, run_task, task_named
from ursuppe_lab.benchmark.budget import Metered
from ursuppe_lab.benchmark.results import RESULTS

from support.benchmarks import entry_of, forge_figures, problems_of
from support.command import printed, refusal

SMALL = 'question = "?"\nplayers = 3\nedition = "1998"\nopponents = ["hunter"]\nseeds = 3\n'
TASKS = {"think3-v9": SMALL + "budget = 40\n", "small3-v9": SMALL}
THINKER = """
from ursuppe_agents import Agent
class Thinker(Agent):
    deterministic = True
    def __init__(self, generator, *, playouts: int = 1, decisions: int = 5):
        super().__init__(generator)
        self.playouts, self.decisions = playouts, decisions
    def act(self, games, rows):
        games.copy(rows.repeat(self.playouts), reseed=1).play_random(self.decisions)
        return games.copy(rows).legal().argmax(axis=1)
"""
SPEC = "benchmark_thinker:Thinker"


@pytest.fixture
def small(small, tmp_path, monkeypatch):
    """The first task, in the folder of a module that has the agent."""
    (tmp_path / "benchmark_thinker.py").write_text(THINKER)
    monkeypatch.chdir(tmp_path)
    return small


def test_what_it_simulates_is_a_figure_of_the_results(small, tmp_path):
    found = run_task(small, entry_of(small, f"{SPEC}:playouts=8"), tmp_path / "run", workers=1).found.simulated
    assert found is not None
    assert found.maximum == 8 * 5
    assert 35 < found.mean <= 40  # fewer where games end
    assert problems_of(tmp_path / "run") == []
    assert problems_of(tmp_path / "run", f"{SPEC}:playouts=8") == []


def test_an_agent_that_simulates_more_than_it_may_is_refused(small, tmp_path):
    with pytest.raises(AgentError, match=r"thinker simulated 45 decisions at one; the task allows 40; it was player"):
        run_task(small, entry_of(small, f"{SPEC}:playouts=9", "thinker"), tmp_path / "run", workers=1)


def test_a_program_that_nobody_can_count_is_refused(small, tmp_path):
    with pytest.raises(ValueError, match="what another program simulates cannot be counted"):
        run_task(small, Entry(name="x", spec="process:cat", digest="0"), tmp_path / "run")


def test_the_only_opponent_needs_another_name_to_meet_itself(small, tmp_path, capsys):
    told = refusal(capsys, "benchmark", "run", "think3-v9", "hunter", "--out", tmp_path / "run")
    assert told == "ursuppe: name is 'hunter', which is the only opponent of think3-v9; give another\n"
    results = run_task(small, Entry(name="itself", spec="hunter", digest="0"), tmp_path / "run", workers=1)
    assert results.figures["games"] == 3 * 3 * 2


@pytest.mark.parametrize(
    ("told", "agent", "found"),
    [
        ({"mean": 39.0, "maximum": 39}, SPEC, "figures: simulated."),
        ({"mean": 1.0, "maximum": 40}, SPEC, "figures: simulated."),
        ({"mean": 41.0, "maximum": 41}, None, "think3-v9 allows 40 a decision"),
        (None, None, "simulated is None; think3-v9 allows 40 a decision"),
    ],
)
def test_a_forged_count_is_found(small, tmp_path, told, agent, found):
    spec = f"{SPEC}:playouts=8"
    run_task(small, entry_of(small, spec), tmp_path / "run", workers=1)
    forge_figures(tmp_path / "run", simulated=told)
    [problem] = problems_of(tmp_path / "run", agent and spec)
    assert found in problem


def test_an_agent_that_thinks_more_when_it_is_checked_is_found(small, tmp_path):
    spec = f"{SPEC}:playouts=9"
    honest = run_task(small, entry_of(small, f"{SPEC}:playouts=8"), tmp_path / "run", workers=1)
    forged = honest.model_dump() | {"entry": entry_of(small, spec).model_dump()}
    (tmp_path / "run" / RESULTS).write_text(json.dumps(forged))
    assert any("simulated 45 decisions at one" in problem for problem in problems_of(tmp_path / "run", spec))


def test_a_count_in_a_task_that_has_none_is_found(small, tmp_path):
    run_task(task_named("small3-v9"), entry_of(small, SPEC), tmp_path / "run", workers=1)
    assert read_results(tmp_path / "run").found.simulated is None
    forge_figures(tmp_path / "run", simulated={"mean": 0.0, "maximum": 0})
    [problem] = problems_of(tmp_path / "run")
    assert problem.endswith("the games give None")


def test_the_agent_sees_no_dice_of_the_game_and_one_game_at_a_time(small):
    seen = []

    class Looking(type(make_agent(SPEC, 0))):
        def act(self, games, rows):
            seen.append((len(rows), games.state["key"][rows[0]]))
            return super().act(games, rows)

    games = Games(5, {"players": 3}, seed=3)
    metered = Metered(np.random.default_rng(0), Looking(np.random.default_rng(0)), 40)
    rows = np.array([4, 1])
    assert metered.act(games, rows).tolist() == make_agent(SPEC, 0).act(games, rows).tolist()
    assert [number for number, _ in seen] == [1, 1]
    assert not {key for _, key in seen} & set(games.state["key"].tolist())
    assert dict(metered.simulated) == {4: [5], 1: [5]}


def test_commands_show_what_was_simulated(small, tmp_path, capsys):
    folder = tmp_path / "run"
    options = ["--out", folder, "--name", "mine", "--workers", "1"]
    assert "5 (5)" in printed(capsys, "benchmark", "run", small.name, SPEC, *options)
    assert "5 (5)" in (folder / "row.md").read_text()
    assert "simulated, mean (most)" in (folder / "report.html").read_text()
    told = printed(capsys, "benchmark", "verify", folder, "--agent", SPEC, "--workers", "1")
    assert "the agent's own moves in all of them, and what it simulated, too" in told
