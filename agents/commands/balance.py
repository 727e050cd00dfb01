"""``ursuppe balance``: what a change of the rules does, what a gene is worth, which numbers are fairer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ursuppe_agents.commands.extras import check_extra
from ursuppe_env.cli.progress import progress_bar

if TYPE_CHECKING:
    from ursuppe_agents.balance import Comparison, Figure
    from ursuppe_agents.statistics import Interval

# The laboratory takes half a second to import: only the functions that need it do.

_WIDTH = 140  # where the output is no terminal
_MOST_LINES = 20  # to be printed; the report has them all


def balance(
    study: Annotated[
        str, typer.Argument(help="FILE.toml, or the name of a study that comes with the package.", show_default=False)
    ],
    games: Annotated[
        int | None,
        typer.Option(help="In place of the number that the study says.", show_default=False, min=1),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one a core.", show_default=False, min=1)
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, or a local one if there is none.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the games (Parquet), summary.json and report.html. The same command with the same folder "
            "goes on where an interrupted one stopped.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Study the balance of the game: compare rulesets, measure what genes are worth, or search for a fairer game."""
    check_extra("balance", "polars", "matplotlib", "jinja2")
    from ursuppe_agents.balance import compare_variants, read_study

    found = read_study(study, games)
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    with progress_bar() as progress:
        task = progress.add_task("games", total=found.total_games)
        try:
            _, comparison = compare_variants(
                found, out, workers, ray, on_progress=lambda over: progress.update(task, completed=over)
            )
        except KeyboardInterrupt:
            if out is not None:
                typer.echo(f"The parts that are done are in {out}; the same command goes on from there.", err=True)
            raise
    _print_comparison(console, comparison)
    if out is not None:
        typer.echo(f"{out / 'report.html'}: the report, with pictures; beside it summary.json and games.parquet")


def _print_comparison(console: Console, comparison: "Comparison") -> None:
    """What is different from the base; the report has everything."""
    from ursuppe_agents.arena import table_name

    study = comparison.study
    different = [figure for figure in comparison.figures if figure.is_different]
    compared = sum(figure.difference is not None for figure in comparison.figures)
    console.print(f"{comparison.games:,} games; 95 % intervals", highlight=False)
    if not compared:
        return
    console.print(f"{len(different)} of {compared} figures differ from the base:", highlight=False)
    table = Table()
    for heading in ("table", "variant", "measure", "figure"):
        table.add_column(heading, overflow="fold")
    for heading in ("value", "difference"):
        table.add_column(heading, justify="right")
    for figure in sorted(different, key=_clearness)[:_MOST_LINES]:
        table.add_row(
            escape(table_name(study.tables[figure.table])),
            escape(study.variants[figure.variant][0]),
            escape(figure.measure),
            escape(figure.name),
            _number(figure.value, ".3f"),
            _number(figure.difference, "+.3f"),
        )
    console.print(table)


def _clearness(figure: "Figure") -> float:
    """The least for the difference that is largest for its interval."""
    assert figure.difference is not None
    width = figure.difference.high - figure.difference.low
    return -abs(figure.difference.mean) / width if width > 0 else float("-inf")


def _number(figure: "Interval | None", form: str) -> str:
    if figure is None:
        return "-"
    return f"{figure.mean:{form}} ({figure.low:{form}} to {figure.high:{form}})"
