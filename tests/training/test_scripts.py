"""The training scripts of one file each learn, and what they write plays."""

import re
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset, UrsuppeVector
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_lab.benchmark.logs import Logs

from support.command import printed
from support.host_device import HostDevice

SCRIPTS = Path(__file__).parents[2] / "training" / "scripts"

#: What is smaller here, by the script: few decisions teach more in updates of fewer games, and most of PSRO's time goes
#: into games that say how good each policy is.
SMALLER = {
    "ppo": {"N, T = 256, 64": "N, T = 64, 64"},
    "maskable_ppo_sb3": {"N, T = 1024, 8": "N, T = 64, 32"},
    "psro": {"GENERATIONS, PAYOFF_GAMES, HEDGE_ROUNDS = 8, 50, ": "GENERATIONS, PAYOFF_GAMES, HEDGE_ROUNDS = 3, 10, "},
}


def forget_scripts():
    for path in SCRIPTS.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture(autouse=True)
def scripts(tmp_path, monkeypatch):
    """Copies of the scripts, of which some are smaller, are in the current folder, from where they are imported."""
    folder = tmp_path / "scripts"
    shutil.copytree(SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, changes in SMALLER.items():
        code = (folder / f"{name}.py").read_text(encoding="utf-8")
        for written, smaller in changes.items():
            assert written in code
            code = code.replace(written, smaller)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    forget_scripts()
    yield
    forget_scripts()


def run_script(capsys, name, *arguments):
    """What a script prints, as a program, in this process: to begin another one takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        runpy.run_path(f"{name}.py", run_name="__main__")
    out, err = capsys.readouterr()
    assert err == ""
    return out


def wins_against_random(spec):
    tournament = Tournament(lineups=((spec, "random", "random", "random"),), ruleset=Ruleset(), num_games=400, seed=5)
    return play_tournament(tournament, workers=1)[1].lineups[0].win_rates[spec].estimate


@pytest.mark.parametrize(
    ("name", "spec", "steps"),
    [
        ("ppo", "ppo:Player:model={}", 80_000),
        ("mmd", "ppo:Player:model={}", 100_000),
        ("psro", "psro:Player:model={}", 80_000),
        ("expert_iteration", "ppo:Player:model={}", 100_000),
        ("maskable_ppo_sb3", "sb3:{}", 50_000),
    ],
)
@pytest.mark.filterwarnings("ignore:rich is experimental")  # the progress bar of Stable-Baselines3
def test_self_play_beats_random_players_soon(name, spec, steps, tmp_path, capsys):
    out = tmp_path / "out" / "model.zip"
    run_script(capsys, name, "--steps", steps, "--out", out)
    assert list(out.parent.iterdir()) == [out]
    assert wins_against_random(spec.format(out)) > 1 / 3  # by chance a quarter, and so many in one case of 10,000


@pytest.mark.parametrize("name", ["ppo", "expert_iteration", "psro"])
def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(name, tmp_path, capsys):
    code = Path("ppo.py").read_text(encoding="utf-8").replace("CHECKPOINT_EVERY = 50", "CHECKPOINT_EVERY = 1")
    Path("ppo.py").write_text(code.replace("N, T = 64, 64", "N, T = 8, 32"), encoding="utf-8")
    whole, parts = tmp_path / "whole" / "model.pt", tmp_path / "parts" / "model.pt"
    options = ("--steps", 3 * 8 * 32)
    run_script(capsys, name, *options, "--out", whole)
    write, written = torch.save, []

    def write_once(content, file):
        if written:
            raise KeyboardInterrupt
        written.append(file)
        write(content, file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "save", write_once)
        with pytest.raises(KeyboardInterrupt):
            run_script(capsys, name, *options, "--out", parts)
    capsys.readouterr()
    assert not parts.exists()
    with pytest.raises(SystemExit, match=r"model\.pt\.checkpoint is of other options, or of another script"):
        run_script(capsys, name, *options, "--seed", 1, "--out", parts)
    assert "Going on with the training in" in run_script(capsys, name, *options, "--out", parts)
    assert parts.read_bytes() == whole.read_bytes()
    assert list(parts.parent.iterdir()) == [parts]


def test_ppo_learns_from_a_list_of_rulesets_and_sees_them_unless_it_is_blind(tmp_path, capsys):
    from ppo import Player, observe

    lists = tmp_path / "rulesets.json"
    printed(capsys, "benchmark", "rulesets", "rules4-v1", "--out", lists)
    first, second = (Games(20, Ruleset(price={"speed": price}), seed=3) for price in (1, 9))
    learned = []
    for options in ((), ("--rulesets", lists, "--blind"), ("--rulesets", lists)):
        run_script(capsys, "ppo", *options, "--steps", 5_000, "--out", tmp_path / "model.pt")
        learned.append(Player(np.random.default_rng(0), model=str(tmp_path / "model.pt")).network)
    seen_alike = [(observe(network, first) == observe(network, second)).all() for network in learned]
    assert seen_alike == [True, True, False]
    given, blind = (network[0].weight for network in learned[:2])
    assert not torch.equal(given, blind)  # other games


def test_wrong_options_are_refused(capsys):
    wrong = {
        ("--rulesets", "x", "--device", "cuda"): "--rulesets needs --device cpu",
        ("--blind",): "--blind needs",
        ("--seed", "-1"): "--seed 0 or more",
        ("--out", "."): "argument --out: . is a folder; it must be a file",
    }
    for options, says in wrong.items():
        with pytest.raises(SystemExit, match="2"):
            run_script(capsys, "ppo", *options)
        assert says in capsys.readouterr().err


def test_the_games_of_ppo_on_a_gpu_give_what_the_vector_environment_gives():
    from ppo import OnGpu

    here, there = UrsuppeVector(3, reward="rank"), OnGpu(3, gpu=HostDevice(), device="cpu")
    expected, found, ended = here.reset(seed=4), there.reset(seed=4), 0
    assert (there.num_actions, there.observation_size) == (here.num_actions, here.observation_size)
    choices = torch.Generator().manual_seed(0)
    for _ in range(500):
        for name, array, tensor in zip(expected._fields, expected, found, strict=True):
            np.testing.assert_allclose(tensor.numpy(), array, rtol=1e-6, err_msg=name)
        actions = torch.multinomial(found.action_mask.float(), 1, generator=choices)[:, 0]
        expected, found = here.step(actions), there.step(actions)
        ended += int(expected.terminated.sum())
    assert ended >= 3


def test_behaviour_cloning_learns_to_play_and_to_predict_from_a_data_set(tmp_path: Path, capsys):
    records, data, out = tmp_path / "games.jsonl.gz", tmp_path / "games", tmp_path / "out" / "model.pt"
    printed(capsys, "record", "--games", "100", "--agents", "hunter", "--workers", "1", records)
    printed(capsys, "export", records, "--out", data, "--observations", "uint8")
    told = run_script(capsys, "behaviour_cloning", data, "--out", out)
    assert float(re.search(r"^([\d.]+)% of decisions", told, re.MULTILINE)[1]) > 50
    assert list(out.parent.iterdir()) == [out]
    spec = f"behaviour_cloning:Player:model={out}"
    assert wins_against_random(spec) > 1 / 3
    logs = Logs(seed=0, games=0, held_out=100, sets={"hunters": (("hunter",) * 4,)})
    assert logs.brier_scores(make_agent(spec, 0), Ruleset())["hunters"].high < 0.75  # that of equal chances
    printed(capsys, "record", "--games", "2", "--teams", "0+2,1+3", "--agents", "hunter", records, "--force")
    for kept, folder in (("float32", "floats"), ("uint8", "teams")):
        printed(capsys, "export", records, "--out", tmp_path / folder, "--observations", kept)
    for folder in ("floats", "nowhere"):
        with pytest.raises(SystemExit, match=f"{folder} has no uint8 observations"):
            run_script(capsys, "behaviour_cloning", tmp_path / folder, "--out", out)
    with pytest.raises(SystemExit, match="has games in teams; this script learns from games of each for itself"):
        run_script(capsys, "behaviour_cloning", tmp_path / "teams", "--out", out)


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_can_be_read_in_one_go(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 250
