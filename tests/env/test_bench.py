"""The benchmark measures what it says, and the comparison of revisions reports it; how fast is not asked here."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba import config

from ursuppe_env import bench, ursuppe_v0
from ursuppe_env.bench import Effort, Figure, Goal, Job, batches, peers, processes, provenance, single
from ursuppe_env.bench.batches import Course
from ursuppe_env.cli import run
from ursuppe_env.cli.bench import short, with_spread

SHORT = Effort(repetitions=2, decisions=200, calls=50, starts=1)

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="measures the compiled engine")


def test_a_figure_reports_its_median_and_whether_it_reaches_the_goal():
    fast = Figure("play", "decisions/s", (4.0, 9.0, 5.0), Goal(5))
    slow = Figure("import", "s", (0.6,), Goal(0.5, at_least=False))
    assert (fast.median, fast.is_reached, slow.is_reached) == (5.0, True, False)
    assert (str(fast.goal), str(slow.goal)) == ("≥ 5", "≤ 0.5")
    assert Figure("step", "decisions/s", (1.0,)).is_reached is None
    described = fast.as_dict()
    assert (described["min"], described["max"], described["repetitions"], described["reached"]) == (4.0, 9.0, 3, True)


def test_a_label_says_how_many_games_and_threads():
    assert Figure("threads against one: play", "times", (1.9,), None, 4096, 2).label == (
        "2 threads against one: play, 4,096 games"
    )
    assert Figure("simulations", "simulations/s", (1.0,), batch=64).label == "simulations, 64 games"
    assert Figure("raw AEC environment", "decisions/s", (1.0,)).label == "raw AEC environment"


@pytest.mark.parametrize("batch", [1, 5])
def test_prepared_actions_stay_legal_and_only_real_ones_count(batch: int):
    course = Course.prepare(batch, 1, Effort(repetitions=1, decisions=3000 * batch, calls=1500, starts=1))
    assert len(course.actions) == 1500
    assert any(course.resets)
    assert course.decisions == sum(int((actions != -1).sum()) for actions in course.actions)
    before = course.games.state.copy()
    for _ in range(2):
        for column in bench.COLUMNS:
            assert course.column(column) > 0
    np.testing.assert_array_equal(course.games.state, before)


def test_threads_are_measured_from_2048_games_on():
    figures = bench.measure_batch(2048, [1, 2], SHORT)
    assert {(figure.name, figure.threads) for figure in figures} == {(c, t) for c in bench.COLUMNS for t in (1, 2)}
    assert all(figure.goal is None for figure in figures if figure.threads == 2)
    assert {figure.threads for figure in bench.measure_batch(64, [1, 2], SHORT)} == {1}


def test_two_threads_are_compared_with_one(monkeypatch):
    monkeypatch.setattr(batches, "_SPEEDUP_BATCH", 2048)
    ratios = [figure for figure in bench.measure_batch(2048, [1, 2], SHORT) if figure.unit == "times"]
    assert [figure.name for figure in ratios] == [f"threads against one: {column}" for column in bench.COLUMNS]
    assert all(figure.goal == Goal(1.7) and len(figure.values) == 2 for figure in ratios)


def test_an_aec_environment_is_played_over_the_end_of_a_game():
    assert single.play_aec(ursuppe_v0.raw_env(), 1000) > 0


class Coin:
    """An OpenSpiel game: a chance event, then one decision."""

    def __init__(self) -> None:
        self.moves: list[int] = []

    new_initial_state = classmethod(lambda cls: cls())

    def is_terminal(self) -> bool:
        return len(self.moves) == 2

    def is_chance_node(self) -> bool:
        return not self.moves

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(3, 1.0)]

    def legal_actions(self) -> list[int]:
        return [5]

    def observation_tensor(self) -> list[float]:
        return [0.0]

    def apply_action(self, action: int) -> None:
        assert action == (5 if self.moves else 3)
        self.moves.append(action)


@pytest.mark.parametrize("observe", [False, True])
def test_open_spiel_games_are_played_over_their_end(observe: bool):
    assert peers.play_open_spiel(Coin(), 10, observe) > 0


def test_the_start_of_a_process_is_measured():
    assert [(figure.name, figure.unit) for figure in processes.measure_start(SHORT)] == [
        ("import ursuppe_env", "s"),
        ("first game, warm cache", "s"),
    ]


def test_circumstances_name_commit_versions_and_machine(monkeypatch):
    found = bench.circumstances()
    assert found["versions"]["numpy"] == np.__version__
    assert found["cores"] >= 1
    assert found["processor"]
    monkeypatch.setattr(provenance, "_git", lambda *_: None)
    assert provenance.revision() == ("unknown", False)


# ---------------------------------------------------------------------- the command


@pytest.fixture
def quick_jobs(monkeypatch) -> list[Job]:
    """Instead of what takes long: one batch, one time, one peer that is missing."""

    def missing() -> list[Figure]:
        raise bench.Unavailable("No module named 'pyspiel'")

    jobs = [
        Job("batch 2", lambda: bench.measure_batch(2, [1], SHORT)),
        Job("start", lambda: [Figure("import ursuppe_env", "s", (0.25, 0.3), Goal(0.5, at_least=False))]),
        Job("OpenSpiel backgammon", missing),
    ]
    monkeypatch.setattr(bench, "jobs", lambda *_: iter(jobs))
    return jobs


def test_json_is_one_object_and_nothing_else(capsys, quick_jobs):
    assert run(["bench", "--quick", "--json"]) == 0
    out, err = capsys.readouterr()
    printed = json.loads(out)
    assert err == ""
    assert [figure["name"] for figure in printed["figures"]] == [*bench.COLUMNS, "import ursuppe_env"]
    assert printed["missing"] == {"OpenSpiel backgammon": "No module named 'pyspiel'"}
    assert {"commit", "dirty", "versions", "processor", "cores", "decisions_per_game"} <= printed.keys()


def test_the_tables_show_goals_and_what_is_missing(capsys, quick_jobs):
    assert run(["bench"]) == 0
    out = capsys.readouterr().out
    assert "0.275 (0.250-0.300) s" in out
    assert "≤ 0.5" in out
    assert "not measured: No module named 'pyspiel'" in out
    assert "decisions a game on average" in out


def test_ctrl_c_prints_no_half_of_a_table(capsys, monkeypatch):
    def interrupted() -> list[Figure]:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "jobs", lambda *_: iter([Job("start", interrupted)]))
    assert run(["bench", "--json"]) == 130
    assert capsys.readouterr() == ("", "ursuppe: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--batch", "0"], "batch is '0'; it must be numbers of at least 1 with commas between, such as 1,64"),
        (["--batch", "1,many"], "batch is '1,many'"),
        (["--threads", ""], "threads is ''"),
        (["--batch", "64", "--threads", "2"], "a batch below 2048 games uses one thread only"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, arguments: list[str], says: str):
    assert run(["bench", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


def test_all_jobs_are_there():
    labels = [job.label for job in bench.jobs([1, 64], [1], SHORT, cold=True, peers=True, measures={"search": len})]
    assert labels[:6] == ["batch 1", "batch 64", "AEC environment", "observation size", "start", "cold compilation"]
    assert labels[6:] == [
        "search",
        "OpenSpiel backgammon",
        "OpenSpiel connect_four",
        "PettingZoo connect_four",
        "PettingZoo chess",
    ]


@pytest.mark.parametrize("measure", [peers.measure_pettingzoo, peers.measure_open_spiel])
def test_a_peer_that_is_not_installed_says_what_is_missing(monkeypatch, measure):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(bench.Unavailable, match=r"pyspiel|no_such_game"):
        measure("no_such_game", SHORT)


def test_numbers_are_short():
    assert [short(value) for value in (5_312_000, 64_210, 0.3812, 0)] == ["5.31 M", "64.2 k", "0.381", "0.00"]
    assert [short(value) for value in (999.4, 999.6, 999_700)] == ["999", "1.00 k", "1.00 M"]


def test_a_spread_has_the_scale_of_its_median_and_no_power_of_ten():
    def spread(*values: float) -> str:
        return with_spread(Figure("step", "decisions/s", values))

    assert spread(846_000, 587_000, 1_013_000) == "846 k (587-1,010)"
    assert spread(5_310_000, 5_100_000, 5_440_000) == "5.31 M (5.10-5.44)"
    assert spread(0.275, 0.25, 0.3) == "0.275 (0.250-0.300)"
    assert spread(2_000, 900, 120_000) == "2.00 k (0.900-120)"
    assert spread(569) == "569"


# ---------------------------------------------------------------------- benchmarks/compare.py


@pytest.fixture
def comparison() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "compare.py"
    spec = importlib.util.spec_from_file_location("comparison", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(comparison, monkeypatch, tmp_path: Path) -> Path:
    """Two commits, of which the second one is twice as fast."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    root = tmp_path / "repository"
    root.mkdir()
    monkeypatch.setattr(comparison, "ROOT", root)

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

    git("init")
    for speed in ("100", "200"):
        (root / "speed").write_text(speed)
        git("add", "speed")
        git("commit", "-m", speed)
    return root


def test_a_commit_is_compared_with_its_parent(comparison, repository: Path, monkeypatch, capsys):
    visited = []

    def measured(folder: Path, temporary: Path, compile_only: bool = False) -> dict[str, float]:
        visited.append(folder)
        return {"play": float((folder / "speed").read_text())}

    monkeypatch.setattr(comparison, "run", measured)
    assert comparison.main(["--repetitions", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "speed of HEAD / speed of HEAD^: median (smallest-largest) of 3",
        "play   2.00  (2.00-2.00)",
    ]
    assert [folder.name for folder in visited[2:]] == ["base", "head", "head", "base", "base", "head"]
    assert not any(folder.exists() for folder in visited)
    worktrees = subprocess.run(["git", "worktree", "list"], cwd=repository, capture_output=True, text=True, check=True)
    assert len(worktrees.stdout.splitlines()) == 1
    (repository / "speed").write_text("50")
    assert comparison.main(["HEAD", ".", "--fail-below", "0.9"]) == 1
    assert "play   0.25  (0.25-0.25)  below 0.9 every time" in capsys.readouterr().out
    assert repository.exists()


def test_noise_does_not_fail(comparison):
    assert comparison.report({"play": [0.5, 0.6, 0.95]}, "a", "b", fail_below=0.9) == 0
    assert comparison.report({"play": [0.5, 0.6, 0.85]}, "a", "b", fail_below=None) == 0


def test_a_missing_revision_is_one_line_and_status_1(comparison, repository: Path, capsys):
    assert comparison.main(["no-such-branch", "HEAD"]) == 1
    assert capsys.readouterr().err == "compare: there is no revision no-such-branch\n"


def test_a_revision_that_does_not_run_breaks_the_comparison(comparison, repository: Path, tmp_path: Path):
    package = tmp_path / "broken" / "ursuppe_env"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('broken on purpose')")
    with pytest.raises(comparison.Broken, match="broken on purpose"):
        comparison.run(tmp_path / "broken", tmp_path)
