"""The tables of the benchmark: ``python -m studies.benchmark FOLDER`` plays the package's agents in all tasks.

What is played is kept in the folder, by task and the agent's digest, so that an interrupted run goes on. What training
scripts learned stands in ``studies/policies``; a file that is missing there is trained: by ppo.py in 17 minutes of a
core or two of a GPU, a clone in two, attackers in 15. In exploit4-v1 an agent is attacked for 10 to 20 minutes.
"""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import typer

from ursuppe_env.extras import extra
from ursuppe_env.files import write_atomically
from ursuppe_env.line import counted
from ursuppe_lab.benchmark import Entry, Task, entry_digest, run_task, task_named, task_names
from ursuppe_lab.benchmark import table as tables
from ursuppe_lab.benchmark.entry import spec_against
from ursuppe_lab.commands.options import games_progress

with extra("train"):
    import torch

#: Decisions that the policies of the package learned from (docs/learning.md), after the clone that they began with.
_LEARNED = {
    "ladder3-v1": 64_400_000,
    "ladder4-v1": 68_500_000,
    "ladder5-v1": 65_400_000,
    "ladder6-v1": 65_400_000,
    "duel-v1": 63_400_000,
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
    "exploit4-v1": {spec: spec for spec in ("random", "hunter", "policy:default")},
}
_URSUPPE = (sys.executable, "-m", "ursuppe_env")
_TABLES = Path(tables.__file__).with_name("tables")
SCRIPTS, POLICIES = Path("training/scripts"), Path("studies/policies")  # in the repository


class Learner(NamedTuple):
    """A training script that enters ladder4-v1."""

    name: str  # of its line
    script: str
    device: str  # where games and network lie
    seeds: range  # of trainings
    steps: int  # decisions to learn from

    def policy(self, seed: int) -> Path:
        """What it learned with a seed."""
        return POLICIES / f"{self.script}-{self.device}-{seed}.pt"

    def entry(self, seed: int) -> Entry:
        """As it enters; the working folder must be that of the repository."""
        spec = f"{self.script}:Player:model={self.policy(seed)}"
        return Entry(name=self.name, spec=spec, digest=entry_digest(spec, 4), learned=self.steps, training_seed=seed)

    def train(self, seed: int) -> None:
        """Learn, and keep the weights in half precision."""
        with TemporaryDirectory() as folder:
            trained = Path(folder) / "trained.pt"
            command = [sys.executable, SCRIPTS / f"{self.script}.py", "--steps", self.steps, "--seed", seed]
            subprocess.run([*map(str, command), "--device", self.device, "--out", str(trained)], check=True)
            _keep(trained, self.policy(seed))


class Cloner(NamedTuple):
    """A clone of the players of a set of logs4-v1, in its small version."""

    data: str
    decisions: int  # of the games that it learns from, nine in ten of the set
    seeds: range = range(1)  # of trainings

    def policy(self, seed: int) -> Path:
        """What it learned with a seed."""
        return POLICIES / f"cloned-{self.data}-small-{seed}.pt"

    def entry(self, seed: int) -> Entry:
        """As it enters; the working folder must be that of the repository."""
        spec = f"behaviour_cloning:Player:model={self.policy(seed)}"
        name, digest = f"behaviour_cloning.py, {self.data}", entry_digest(spec, 4)
        return Entry(name=name, spec=spec, digest=digest, learned=self.decisions, training_seed=seed)

    def train(self, seed: int) -> None:
        """Play the games of the set, learn from them, and keep the weights in half precision."""
        with TemporaryDirectory() as folder:
            records, data, trained = (Path(folder) / name for name in ("set.jsonl.gz", "set", "trained.pt"))
            make_set = [*_URSUPPE, "benchmark", "logs", "logs4-v1", self.data, "--small", "--out", records]
            export = [*_URSUPPE, "export", records, "--out", data, "--observations", "uint8"]
            learn = [sys.executable, SCRIPTS / "behaviour_cloning.py", data, "--seed", seed, "--out", trained]
            for command in (make_set, export, learn):
                subprocess.run([*map(str, command)], check=True)
            _keep(trained, self.policy(seed))


class Attacker(NamedTuple):
    """Best responses to each opponent of exploit4-v1, from its own weights."""

    decisions: int  # that each learns from
    seeds: range = range(1)  # of trainings

    def policy(self, seed: int) -> Path:
        """What they learned with a seed; ``{opponent}`` stands for each opponent."""
        return POLICIES / f"attack-{{opponent}}-{self.decisions}-{seed}.zip"

    def entry(self, seed: int) -> Entry:
        """As they enter; the working folder must be that of the repository."""
        name, spec = f"exploit --decisions {self.decisions}", f"policy:{self.policy(seed)},deterministic=true"
        digest = entry_digest(spec, 4, task_named("exploit4-v1").opponents)
        return Entry(name=name, spec=spec, digest=digest, learned=self.decisions, training_seed=seed)

    def train(self, seed: int) -> None:
        """Learn against each opponent, and keep what was chosen."""
        for opponent in task_named("exploit4-v1").opponents:
            with TemporaryDirectory() as folder:
                options = ["--decisions", str(self.decisions), "--seeds", str(seed), "--no-scratch", "--games", "400"]
                subprocess.run([*_URSUPPE, "exploit", opponent, *options, "--out", folder], check=True)
                [chosen] = Path(folder, "exploiters").iterdir()
                write_atomically(Path(spec_against(str(self.policy(seed)), opponent)), chosen.read_bytes())


def _keep(trained: Path, file: Path) -> None:
    """Write what a script learned to where it is kept, in half precision."""
    saved = torch.load(trained, weights_only=True)
    saved["weights"] = {name: weight.half() for name, weight in saved["weights"].items()}
    unfinished = file.with_suffix(".unfinished")
    torch.save(saved, unfinished)
    unfinished.replace(file)


#: Who learned for a task.
LEARNERS: dict[str, tuple[Learner | Cloner | Attacker, ...]] = {
    "ladder4-v1": (
        Learner("ppo.py", "ppo", "cpu", range(5), 10_000_000),
        Learner("ppo.py --device cuda", "ppo", "cuda", range(1), 100_000_000),
    ),
    "exploit4-v1": (Attacker(2_000_000),),
    "logs4-v1": (Cloner("scripted", 1_026_157), Cloner("expert", 921_567), Cloner("replay", 896_831)),
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
                learner.train(seed)
            yield learner.entry(seed)


def _agents(task: Task, searches: bool) -> dict[str, str]:
    """The specs of the package's agents that enter a task, by their names."""
    if task.name in _ENTRIES:
        return _ENTRIES[task.name]
    policy, of_searches = ("policy:default", "") if task.teams is None else ("policy:duel", ",policy=duel")
    specs = [*task.opponents, policy, *(f"{spec}{of_searches}" for spec in _SEARCHES * searches)]
    return {spec: spec for spec in specs}


if __name__ == "__main__":
    typer.run(main)
