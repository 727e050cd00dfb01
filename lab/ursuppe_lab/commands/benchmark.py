"""``ursuppe benchmark``: named tasks, whose results stand in a table and can be checked."""

from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.options import Force, check_new
from ursuppe_env.extras import require_extra
from ursuppe_env.files import write_atomically
from ursuppe_env.line import counted, in_one_line
from ursuppe_lab.commands.options import OnRay, Workers, games_progress, say
from ursuppe_lab.recording import write_recording
from ursuppe_lab.reports.text import printable, value

if TYPE_CHECKING:
    from ursuppe_lab.benchmark import Results, Task

# The arena takes half a second to import: only the functions that need it do.

_MOST_PROBLEMS = 20

benchmark = typer.Typer(
    no_args_is_help=True,
    help="Play named tasks, and put the results beside those of others.\n\n"
    "Example: ursuppe benchmark run ladder4-v1 greedy --out runs/greedy",
)
TaskName = Annotated[str, typer.Argument(metavar="TASK", help="Such as ladder4-v1; `tasks` lists them.")]


@benchmark.command()
def tasks() -> None:
    """List the tasks, and what each of them asks.

    Example: ursuppe benchmark tasks
    """
    require_extra("arena")
    from ursuppe_lab.benchmark import Entry, task_named, task_names

    table = Table("task", "question", "opponents", "games")
    for name in task_names():
        task = task_named(name)
        games = sum(one.total_games for one in task.tournaments(Entry(name="any", spec="any", digest=""), True))
        table.add_row(name, task.question, str(len(task.opponents)), f"{games:,}")
    tables_console().print(table)


@benchmark.command()
def rulesets(task: TaskName, out: Annotated[Path, typer.Option(help="File of JSON.")], force: Force = False) -> None:
    """Write the rulesets of a task: those to train on, and those that are played.

    Example: ursuppe benchmark rulesets rules4-v1 --out rulesets.json
    """
    require_extra("arena")
    check_new(out, force)
    from ursuppe_lab.benchmark import task_named
    from ursuppe_lab.benchmark.rulesets import encoded_lists

    lists = task_named(task).rulesets
    if not lists:
        raise ValueError(f"task is {task!r}, whose games are played as printed; it must be one such as rules4-v1")
    write_atomically(out, encoded_lists(lists))
    typer.echo(f"{out}: " + ", ".join(f"{name} {len(found):,}" for name, found in lists.items()))


@benchmark.command()
def logs(
    task: TaskName,
    name: Annotated[str, typer.Argument(metavar="SET", help="scripted, expert or replay.")],
    out: Annotated[Path, typer.Option(help="File of records (.jsonl or .jsonl.gz).")],
    small: Annotated[bool, typer.Option("--small", help="A tenth of the games.")] = False,
    workers: Workers = None,
    force: Force = False,
) -> None:
    """Play the games of a task that agents may learn from: the same for everybody.

    Example: ursuppe benchmark logs logs4-v1 expert --out expert.jsonl.gz
    """
    require_extra("arena")
    check_new(out, force)
    from ursuppe_lab.benchmark import task_named

    asked = task_named(task)
    if asked.logs is None:
        raise ValueError(f"task is {task!r}, which has no games to learn from; it must be one such as logs4-v1")
    if name not in asked.logs.sets:
        raise ValueError(f"set is {name!r}; it must be one of {', '.join(asked.logs.sets)}")
    recordings = asked.logs.recordings(name, asked.ruleset, small)
    games = sum(recording.games for recording in recordings)
    with games_progress(games) as on_progress:
        write_recording(out, recordings, workers, on_progress)
    typer.echo(f"{out}: {counted(games, 'game')}")


@benchmark.command()
def run(
    task: TaskName,
    agent: Annotated[
        str, typer.Argument(metavar="SPEC", help="The agent: greedy, policy:runs/mine/best.zip, my_bots:MyBot, ...")
    ],
    out: Annotated[Path, typer.Option(help="Folder for results, records and a page. The same command resumes.")],
    name: Annotated[str | None, typer.Option(help="Its name in the table; by default its spec.")] = None,
    learned: Annotated[int | None, typer.Option(help="Decisions that it learned from, for the table.", min=0)] = None,
    training_seed: Annotated[
        int | None, typer.Option(help="Seed of its training: runs of one --name are one line of the table.")
    ] = None,
    development: Annotated[
        bool, typer.Option("--development", help="Play on dice that are the same for all agents: to try things.")
    ] = False,
    workers: Workers = None,
    ray: OnRay = False,
) -> None:
    """Play a task with an agent, and show its line in the table.

    Example: ursuppe benchmark run ladder4-v1 hunter --out runs/hunter
    """
    require_extra("arena")
    from ursuppe_lab.benchmark import Entry, entry_digest, run_task, task_named

    asked = task_named(task)
    digest = entry_digest(agent, asked.players, asked.opponents)

    entry = Entry(name=name or agent, spec=agent, digest=digest, learned=learned, training_seed=training_seed)
    tournaments = asked.tournaments(entry, development)
    with games_progress(sum(tournament.total_games for tournament in tournaments), out) as on_progress:
        on_training = partial(on_progress, doing="exploiters; decisions")
        results = run_task(asked, entry, out, development, workers, ray, on_progress, say, on_training)
    _print_table(asked, [results])
    typer.echo(f"{out / 'report.html'}: the page, with each opponent; beside it results.json and records.jsonl.gz")


@benchmark.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="Folder of `run`.")],
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="The agent, to compute its moves anew: in a tenth of the games; in all where a budget is counted.",
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Check results: play every game again, with the opponents' moves, and compute all figures anew.

    Example: ursuppe benchmark verify runs/hunter --agent hunter
    """
    require_extra("arena")
    from ursuppe_lab.benchmark import read_results
    from ursuppe_lab.benchmark import verify as problems_of

    results = read_results(folder)
    with games_progress(results.figures.get("games", 0)) as on_progress:
        problems = list(islice(problems_of(folder, agent, workers, on_progress), _MOST_PROBLEMS))
    for problem in problems:
        typer.echo(in_one_line(problem))
    if problems:
        raise typer.Exit(1)
    part = "a tenth of them" if results.of_task.budget is None else "all of them, and what it simulated"
    again = "" if agent is None else f"; the agent's own moves in {part}, too"
    dice = ", on the dice of development" if results.development else ""
    typer.echo(f"{folder}: all is right: {counted(results.figures['games'], 'game')} played again{dice}{again}")


@benchmark.command()
def table(
    task: TaskName,
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Folders of `run`, whose results are shown among them.")
    ] = None,
) -> None:
    """Show the table of a task.

    Example: ursuppe benchmark table ladder4-v1 runs/hunter
    """
    require_extra("arena")
    from ursuppe_lab.benchmark import read_results, task_named

    _print_table(task_named(task), [read_results(folder) for folder in folders or []])


def _print_table(task: "Task", own: "list[Results]") -> None:
    from ursuppe_lab.benchmark import table_of

    title = f"{task.name}: by chance {100 * task.chance:.1f} %"
    shown = Table(Column("agent", overflow="fold"), "learned from", title=title)
    rows = table_of(task, own)
    for column in ("visit, %", "host, points", *(rows[0].more if rows else ()), "ms a decision"):
        shown.add_column(column, justify="right")
    for row in rows:
        figures = [value(row.visit, ".1f", 100), value(row.host, "+.1f", 100), *row.more.values()]
        cells = [escape(printable(row.name)), row.learned, *figures, f"{row.milliseconds:.3g}"]
        shown.add_row(*cells, style="bold" if row.is_own else None)
    tables_console().print(shown)
