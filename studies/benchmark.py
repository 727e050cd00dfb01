"""The tables of the benchmark: ``python -m studies.benchmark FOLDER`` plays the package's agents in all tasks.

What is played is kept in the folder, by task and the agent's digest, so that an interrupted run goes on.
"""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.files import write_atomically
from ursuppe_env.line import counted
from ursuppe_lab.benchmark import Entry, entry_digest, run_task, task_named, task_names
from ursuppe_lab.benchmark import table as tables
from ursuppe_lab.commands.options import games_progress

#: Decisions that the policies of the package learned from (docs/learning.md), after the clone that they began with.
_LEARNED = {
    "ladder3-v1": 64_400_000,
    "ladder4-v1": 68_500_000,
    "ladder5-v1": 65_400_000,
    "ladder6-v1": 65_400_000,
    "duel-v1": 63_400_000,
}
_SEARCHES = ("search:sims=4", "search:sims=16")
_TABLES = Path(tables.__file__).with_name("tables")


def main(
    folder: Annotated[Path, typer.Argument(help="Where games are kept.")],
    searches: Annotated[bool, typer.Option(help="Also play searches: 40 minutes a task.")] = True,
) -> None:
    """Play the agents, and write the tables."""
    for name in task_names():
        task = task_named(name)
        results = []
        for spec in (*task.opponents, "policy:default" if task.teams is None else "policy:duel", *_SEARCHES * searches):
            policy = ",policy=duel" if spec in _SEARCHES and task.teams is not None else ""
            entry = Entry(
                name=f"{spec}{policy}",
                spec=f"{spec}{policy}",
                digest=entry_digest(f"{spec}{policy}", task.players),
                learned=_LEARNED[name] if spec.startswith("policy:") else None,
            )
            with games_progress(task.tournament(entry.name, entry.digest, False).total_games) as on_progress:
                kept = folder / name / entry.digest
                results.append(run_task(task, entry, kept, on_progress=on_progress))
        write_atomically(_TABLES / f"{name}.json", tables.encoded_table(results))
        typer.echo(f"{name}: {counted(len(results), 'agent')}")


if __name__ == "__main__":
    typer.run(main)
