"""The tables of the benchmark: ``python -m studies.benchmark FOLDER`` plays the package's agents in all tasks.

What is played is kept in the folder, by task and the agent's digest, so that an interrupted run goes on. A file that is
missing in ``studies/policies`` is trained: by a script in 17 to 70 minutes of a core or two of a GPU, by ursuppe train
in eight (100 M in two hours), a clone in two, attackers in 15. exploit4-v1 attacks an agent for 10 to 20 minutes.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from zipfile import ZIP_DEFLATED, ZipFile

import typer

from ursuppe_agents.policies.sb3_agent import NEEDED
from ursuppe_env.extras import extra
from ursuppe_env.files import write_atomically
from ursuppe_env.line import counted
from ursuppe_lab.benchmark import Entry, Task, entry_digest, run_task, task_named, task_names
from ursuppe_lab.benchmark import table as tables
from ursuppe_lab.benchmark.entry import spec_against
from ursuppe_lab.benchmark.rulesets import encoded_lists
from ursuppe_lab.commands.options import games_progress

with extra("train"):
    import torch

#: Decisions that the policies of the package learned from (docs/learning.md), after the clone that they began with.
_LEARNED = {
    "ladder3-v1": 86_600_000,
    "ladder4-v1": 68_500_000,
    "ladder5-v1": 65_500_000,
    "ladder6-v1": 65_500_000,
    "duel-v1": 77_700_000,
}
_SEARCHES = ("search:sims=4", "search:sims=16")
#: Who enters tasks with a single opponent, by name. (With ``greedy`` in its play-outs a search leaves the budget.)
_IN_ALL_SEATS = 'others="policy:default,deterministic=true"'
_ENTRIES = {
    "think4-v1": {
        "policy:default (itself)": "policy:default",
        "policy:default, likeliest": "policy:default,deterministic=true",
        "random": "random",
        "search:sims=4, policy in all seats": f"search:sims=4,{_IN_ALL_SEATS}",
    },
    "rules4-v1": {
        "policy:default (itself)": "policy:default",
        **{spec: spec for spec in ("random", "hunter", "greedy")},
    },
    "logs4-v1": {spec: spec for spec in ("random", "hunter", "greedy", "policy:default")},
    "exploit4-v1": {spec: spec for spec in ("random", "hunter", "greedy", "policy:default")},
}
_URSUPPE = (sys.executable, "-m", "ursuppe_env")
_TABLES = Path(tables.__file__).with_name("tables")
SCRIPTS, POLICIES = Path("training/scripts"), Path("studies/policies")  # in the repository
_PPO, _RULESETS = "ppo:Player:model=FILE", "rulesets.json"
_ATTACKERS = "attack-{opponent}-2000000-SEED.zip", "policy:FILE,deterministic=true"  # kept there, and play so


@dataclass(frozen=True)
class TrainedEntry:
    """Who learned for a task, at best with several seeds."""

    name: str  # of its line
    decisions: int  # that each learned from
    seeds: range  # of trainings
    file: str  # of what it learned: SEED stands for the seed, ``{opponent}`` for each opponent
    plays: str  # the agent that plays so: FILE stands for the file; the working folder must be that of the repository
    train: Callable[[int, int, Path], None]  # learn from so many decisions with a seed, and keep it in the file

    def policy(self, seed: int) -> Path:
        """What it learned with a seed."""
        return POLICIES / self.file.replace("SEED", str(seed))

    def spec(self, seed: int) -> str:
        """The agent that plays by it."""
        return self.plays.replace("FILE", str(self.policy(seed)))

    def entry(self, seed: int, task: Task) -> Entry:
        """As it enters a task."""
        spec = self.spec(seed)
        digest = entry_digest(spec, task.players, task.opponents)
        return Entry(name=self.name, spec=spec, digest=digest, learned=self.decisions, training_seed=seed)


def _self_play(decisions: int, seed: int, file: Path) -> None:
    """``ursuppe train`` without any other opponents, so that it never meets those of the task."""
    settings = [
        *(f"seed={seed}", f"steps={decisions}", "rulesets=given", "teachers=[]"),
        *("opponents={self=0.8, snapshots=0.2}", f"evaluate_every={decisions}", "report_games=0"),
    ]
    with TemporaryDirectory() as folder:
        options = [part for setting in settings for part in ("--set", setting)]
        out = Path(folder) / "run"
        subprocess.run([*_URSUPPE, "train", "standard", *options, "--out", str(out)], check=True)
        write_atomically(file, (out / "latest.zip").read_bytes())


def _by_script(script: str, options: str, decisions: int, seed: int, file: Path) -> None:
    """By a training script of self-play, which finds the rulesets of rules4-v1 where it works."""
    with TemporaryDirectory() as folder:
        trained = Path(folder) / f"trained{file.suffix}"
        Path(folder, _RULESETS).write_bytes(encoded_lists(task_named("rules4-v1").rulesets))
        command = [sys.executable, SCRIPTS.absolute() / f"{script}.py", *options.split(), "--steps", decisions]
        subprocess.run([*map(str, command), "--seed", str(seed), "--out", str(trained)], cwd=folder, check=True)
        _keep(trained, file)


def _cloned(data: str, decisions: int, seed: int, file: Path) -> None:
    """From a set of logs4-v1, in its small version; nine in ten of its games are learned from."""
    with TemporaryDirectory() as folder:
        records, exported, trained = (Path(folder) / name for name in ("set.jsonl.gz", "set", "trained.pt"))
        make_set = [*_URSUPPE, "benchmark", "logs", "logs4-v1", data, "--small", "--out", records]
        export = [*_URSUPPE, "export", records, "--out", exported, "--observations", "uint8"]
        learn = [sys.executable, SCRIPTS / "behaviour_cloning.py", exported, "--seed", seed, "--out", trained]
        for command in (make_set, export, learn):
            subprocess.run([*map(str, command)], check=True)
        _keep(trained, file)


def _attacks(decisions: int, seed: int, file: Path) -> None:
    """Best responses to each opponent of exploit4-v1, from its own weights."""
    for opponent in task_named("exploit4-v1").opponents:
        with TemporaryDirectory() as folder:
            options = ["--decisions", str(decisions), "--seeds", str(seed), "--no-scratch", "--games", "400"]
            subprocess.run([*_URSUPPE, "exploit", opponent, *options, "--out", folder], check=True)
            [chosen] = Path(folder, "exploiters").iterdir()
            write_atomically(Path(spec_against(str(file), opponent)), chosen.read_bytes())


def _keep(trained: Path, file: Path) -> None:
    """Write what a script learned to where it is kept, in half precision and without what only learning needs."""
    unfinished = file.with_suffix(".unfinished")
    if file.suffix == ".zip":  # a model of Stable-Baselines3
        with ZipFile(trained) as model, ZipFile(unfinished, "w", ZIP_DEFLATED) as kept:
            data = json.loads(model.read("data"))
            kept.writestr("data", json.dumps({name: data[name] for name in NEEDED}))
            weights = torch.load(model.open("policy.pth"), weights_only=True)
            with kept.open("policy.pth", "w") as into:
                torch.save({name: weight.half() for name, weight in weights.items()}, into)
    else:
        saved = torch.load(trained, weights_only=True)
        for weights in saved["weights"] if isinstance(saved["weights"], list) else [saved["weights"]]:
            weights.update({name: weight.half() for name, weight in weights.items()})
        torch.save(saved, unfinished)
    unfinished.replace(file)


def _script(
    script: str, decisions: int, seeds: int = 1, options: str = "", kept: str = "cpu", plays: str = _PPO
) -> TrainedEntry:
    """A training script of self-play; ``kept`` tells its files from those of other options."""
    file = f"{script}-{kept}-SEED.{'zip' if plays.startswith('sb3:') else 'pt'}"
    name = f"{script}.py {options}".strip()
    return TrainedEntry(name, decisions, range(seeds), file, plays, partial(_by_script, script, options))


def _trained(name: str, decisions: int, seeds: int = 1) -> TrainedEntry:
    """A policy of ``ursuppe train``."""
    return TrainedEntry(name, decisions, range(seeds), f"train-{decisions}-SEED.zip", "policy:FILE", _self_play)


def _clone(decisions: int, data: str) -> TrainedEntry:
    """A clone of the players of a set."""
    kept, plays = f"cloned-{data}-small-SEED.pt", "behaviour_cloning:Player:model=FILE"
    return TrainedEntry(f"behaviour_cloning.py, {data}", decisions, range(5), kept, plays, partial(_cloned, data))


_WITH_PRINTED_RULES = (
    _trained("ursuppe train", 10_000_000, seeds=5),
    _script("ppo", 10_000_000, seeds=5),
)
#: Who learned for a task.
LEARNERS: dict[str, tuple[TrainedEntry, ...]] = {
    "ladder4-v1": (
        *_WITH_PRINTED_RULES,
        _trained("ursuppe train, 100 M", 100_000_000, seeds=2),
        _script("ppo", 100_000_000, options="--device cuda", kept="cuda"),
        _script("mmd", 10_000_000, seeds=5),
        _script("expert_iteration", 10_000_000, seeds=5),
        _script("psro", 10_000_000, seeds=5, plays="psro:Player:model=FILE"),
        _script("maskable_ppo_sb3", 10_000_000, seeds=5, plays="sb3:FILE"),
    ),
    "rules4-v1": (
        *_WITH_PRINTED_RULES,
        _script("ppo", 10_000_000, seeds=5, options=f"--rulesets {_RULESETS}", kept="rulesets"),
        _script("ppo", 10_000_000, seeds=5, options=f"--rulesets {_RULESETS} --blind", kept="blind"),
    ),
    "exploit4-v1": (TrainedEntry("exploit --decisions 2000000", 2_000_000, range(1), *_ATTACKERS, _attacks),),
    "logs4-v1": (_clone(1_026_157, "scripted"), _clone(921_567, "expert"), _clone(896_831, "replay")),
}


def main(
    folder: Annotated[Path, typer.Argument(help="Where games are kept.")],
    searches: Annotated[bool, typer.Option(help="Also play searches: 40 minutes a task.")] = True,
    task: Annotated[list[str] | None, typer.Option(help="Only these tasks; can be given several times.")] = None,
) -> None:
    """Play the agents, and write the tables."""
    sys.path.insert(0, str(SCRIPTS.absolute()))  # of worker processes, too
    for name in task or task_names():
        asked = task_named(name)
        results = []
        for entry in _entries(asked, searches):
            tournaments = asked.tournaments(entry, development=False)
            with games_progress(sum(tournament.total_games for tournament in tournaments)) as on_progress:
                on_training = partial(on_progress, doing="exploiters; decisions")
                played = folder / name / entry.digest
                results.append(run_task(asked, entry, played, on_progress=on_progress, on_training=on_training))
        write_atomically(_TABLES / f"{name}.json", tables.encoded_table(results))
        typer.echo(f"{name}: {counted(len(results), 'agent')}")


def _entries(task: Task, searches: bool) -> Iterator[Entry]:
    """Who enters a task."""
    for name, spec in _agents(task, searches).items():
        learned = _LEARNED.get(task.name, _LEARNED["ladder4-v1"]) if spec.startswith("policy:") else None
        yield Entry(name=name, spec=spec, digest=entry_digest(spec, task.players), learned=learned)
    for learner in LEARNERS.get(task.name, ()):
        for seed in learner.seeds:
            files = {Path(spec_against(str(learner.policy(seed)), opponent)) for opponent in task.opponents}
            if not all(file.exists() for file in files):
                learner.train(learner.decisions, seed, learner.policy(seed))
            yield learner.entry(seed, task)


def _agents(task: Task, searches: bool) -> dict[str, str]:
    """The specs of the package's agents that enter a task, by their names."""
    if task.name in _ENTRIES:
        return _ENTRIES[task.name]
    policy, of_searches = ("policy:default", "") if task.teams is None else ("policy:duel", ",policy=duel")
    specs = [*task.opponents, policy, *(f"{spec}{of_searches}" for spec in _SEARCHES * searches)]
    return {spec: spec for spec in specs}


if __name__ == "__main__":
    typer.run(main)
