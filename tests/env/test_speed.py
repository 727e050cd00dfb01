"""``ursuppe speed`` and the benchmarks of ``asv`` measure what they say; how fast it is, is not asked here."""

import importlib
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba import config

from ursuppe_env import provenance, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.cli.speed import AEC, WAYS, Course, Effort, Throughput, measure_batch, play_aec

from support.host_device import HostDevice

command = importlib.import_module("ursuppe_env.cli.speed")  # the package has a function of this name
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SHORT = Effort(repetitions=2, decisions=200, calls=50)

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="measures the compiled engine")


@pytest.mark.parametrize("batch", [1, 5])
def test_prepared_actions_stay_legal_and_only_real_ones_count(batch: int):
    course = Course.prepare(batch, 1, Effort(repetitions=1, decisions=3000 * batch, calls=1500))
    assert len(course.actions) == 1500
    assert any(course.resets)
    assert course.decisions == sum(int((actions != -1).sum()) for actions in course.actions)
    before = course.games.state.copy()
    for _ in range(2):
        assert min(course.play(), course.step(observe=False), course.step(observe=True)) > 0
    np.testing.assert_array_equal(course.games.state, before)


def test_on_a_gpu_the_same_actions_are_legal():
    device = HostDevice()
    effort = Effort(repetitions=1, decisions=3000, calls=1500)
    course = Course.prepare(2, 1, effort).on_gpu(device)
    assert any(course.resets)
    assert course.decisions == sum(int((np.asarray(actions) != -1).sum()) for actions in course.actions)
    waited = device.waited
    assert min(course.play(), course.step(observe=False), course.step(observe=True)) > 0
    assert device.waited - waited < 50  # not once a step, of which there are thousands
    assert [(found.name, found.batch, found.threads) for found in measure_batch(3, None, SHORT, device)] == [
        (way, 3, None) for way in WAYS
    ]


def test_an_aec_environment_is_played_over_the_end_of_a_game():
    assert play_aec(ursuppe_v0.raw_env(), 1000) > 0


def test_provenance_names_commit_versions_and_machine(monkeypatch):
    found = provenance.provenance(["numpy", "no-such-distribution"])
    assert found["versions"] == {"numpy": np.__version__, "no-such-distribution": None}
    assert found["cores"] >= 1
    assert found["processor"]
    monkeypatch.setattr(provenance, "_git", lambda *_: None)
    assert provenance.revision() == ("unknown", False)


@pytest.fixture
def short(monkeypatch) -> None:
    monkeypatch.setitem(command.EFFORTS, ("cpu", False), SHORT)
    monkeypatch.setattr(command, "decisions_per_game", lambda: 325.4)


def test_json_is_one_object_and_nothing_else(capsys, short):
    assert run(["speed", "--json", "--batch", "2,2048", "--threads", "1,2"]) == 0
    out, err = capsys.readouterr()
    printed = json.loads(out)
    assert err == ""
    assert [(found["name"], found["batch"], found["threads"]) for found in printed["throughputs"]] == [
        *((way, batch, threads) for batch, threads in ((2, 1), (2048, 1), (2048, 2)) for way in WAYS),
        (AEC, 1, 1),
    ]
    for found in printed["throughputs"]:
        assert found["repetitions"] == 2
        assert found["min"] <= found["median"] <= found["max"]
    assert {"commit", "dirty", "versions", "processor", "cores", "decisions_per_game"} <= printed.keys()


def test_the_table_is_markdown(capsys, monkeypatch, short):
    values = (5_312_000.0, 999_600.0, 64_210.0)
    monkeypatch.setattr(command, "measure_batch", lambda *_: [Throughput(way, 1024, 1, values) for way in WAYS])
    assert run(["speed", "--batch", "1024", "--threads", "1"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert "325 decisions a game on average" in lines[3]
    heading, rule, batch, aec = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines[4:] if line)
    assert heading == ["games", "threads", *WAYS]
    assert set("".join(rule)) == {"-"}
    assert batch == ["1,024", "1", *["1.00 M (64 k-5.31 M)"] * 3]
    assert aec[:4] == ["1, AEC", "1", "", ""]


def test_on_a_gpu_there_are_no_threads_to_count(capsys, monkeypatch, short):
    monkeypatch.setattr(
        command, "measure_batch", lambda *_: [Throughput(way, 4096, None, (2e6, 3e6, 4e6)) for way in WAYS]
    )
    monkeypatch.setattr(command, "gpu_name", lambda: "SomeGPU")
    assert run(["speed", "--device", "cuda", "--batch", "4096"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[1].startswith("SomeGPU, ")
    batch = [cell.strip() for cell in lines[-1].strip().strip("|").split("|")]
    assert batch == ["4,096", "GPU", *["3.00 M (2.00 M-4.00 M)"] * 3]
    assert run(["speed", "--device", "cuda", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["gpu"] == "SomeGPU"
    assert "numba-cuda" in printed["versions"]
    assert [found["threads"] for found in printed["throughputs"]] == [None] * 12


@pytest.fixture
def speed(monkeypatch) -> Callable[[str], ModuleType]:
    """Imports a module of the benchmarks."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return lambda name: importlib.import_module(f"speed.{name}")


def test_asv_finds_the_repository_and_the_benchmarks():
    lines = (BENCHMARKS / "asv.conf.json").read_text(encoding="utf-8").splitlines()
    settings = json.loads("\n".join(line.partition("// ")[0] for line in lines))
    assert (BENCHMARKS / settings["benchmark_dir"] / "__init__.py").exists()
    assert (BENCHMARKS / settings["repo"] / "pyproject.toml").exists()


@pytest.mark.parametrize(
    ("module", "suite"),
    [
        ("batches", "Batches"),
        ("batches", "TwoThreads"),
        ("one_game", "OneGame"),
        ("agents", "BotDecisions"),
        ("agents", "PolicyDecisions"),
        ("agents", "Search"),
    ],
)
def test_every_benchmark_runs(speed, monkeypatch, module: str, suite: str):
    found = speed(module)
    if module == "batches":
        monkeypatch.setattr(found, "EFFORT", SHORT)
    benchmark = getattr(found, suite)()
    names = [name for name in dir(benchmark) if name.startswith("time_")]
    missing = 0
    for arguments in product(*getattr(benchmark, "params", ())):
        for name in names:
            try:
                benchmark.setup(*arguments)
            except NotImplementedError:
                missing += 1
            else:
                getattr(benchmark, name)(*arguments)
                getattr(benchmark, "teardown", lambda *arguments: None)(*arguments)
    assert missing <= (5 if module == "one_game" else 0)  # the games of other packages


@pytest.mark.parametrize("name", ["import", "first_game", "cold_compilation"])
def test_every_statement_for_a_new_process_runs(speed, monkeypatch, name: str):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "set anew by one of them")
    code = getattr(speed("start"), f"timeraw_{name}")()
    statement, before = (code, "") if isinstance(code, str) else code
    process = {}
    exec(before + statement, process)
    if "folder" in process:
        process["folder"].cleanup()  # a process does so at its end
