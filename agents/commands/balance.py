"""``ursuppe balance``: what a change of the rules does, what a gene is worth, which numbers are fairer."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ursuppe_agents.commands.options import AllowModule, OnRay, Workers
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.counts import counted
from ursuppe_env.extras import require_extra

if TYPE_CHECKING:
    from ursuppe_agents.balance import Comparison, Figure, GeneWorth
    from ursuppe_agents.balance.fairer import FairerGame
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
    workers: Workers = None,
    ray: OnRay = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the games (Parquet), summary.json and report.html. The same command with the same folder "
            "goes on where an interrupted one stopped.",
            show_default=False,
        ),
    ] = None,
    allow_module: AllowModule = None,
) -> None:
    """Study the balance of the game: compare rulesets, measure what genes are worth, or search for a fairer game."""
    require_extra("balance")
    from ursuppe_agents.balance import GeneStudy, VariantStudy, compare_variants, measure_genes, read_study

    found = read_study(study, games, allow_module or ())
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    with progress_bar() as progress:
        task = progress.add_task("games", total=found.total_games)

        def on_progress(over: int) -> None:
            progress.update(task, completed=over)

        try:
            if isinstance(found, VariantStudy):
                _, comparison = compare_variants(found, out, workers, ray, on_progress)
                show = partial(_print_comparison, console, comparison)
            elif isinstance(found, GeneStudy):
                _, worth = measure_genes(found, out, workers, ray, on_progress)
                show = partial(_print_worth, console, worth)
            else:
                from ursuppe_agents.balance.fairer import search_fairer

                show = partial(_print_fairer, console, search_fairer(found, out, workers, ray, on_progress))
        except KeyboardInterrupt:
            if out is not None:
                typer.echo(f"The parts that are done are in {out}; the same command goes on from there.", err=True)
            raise
    show()
    if out is not None:
        typer.echo(f"{out / 'report.html'}: the report, with pictures; beside it summary.json and games.parquet")


def _print_fairer(console: Console, game: "FairerGame") -> None:
    """What was found, and how much fairer it is."""
    table = Table()
    table.add_column("number")
    for heading in ("before", "after"):
        table.add_column(heading, justify="right")
    for field, before in game.candidates[0].values.items():
        table.add_row(field, str(before), str(game.best.values[field]))
    console.print(table)
    console.print(
        f"Spread of the genes, worth minus price in BP, on fresh dice: {_number(game.before, '.2f')} before, "
        f"{_number(game.after, '.2f')} after; change {_number(game.change, '+.2f')}; 95 % intervals",
        highlight=False,
    )


def _print_worth(console: Console, worth: "GeneWorth") -> None:
    """The genes of each variant at each table, the best for their price first."""
    from ursuppe_agents.arena import table_name

    for trials in worth.trials:
        name, _ = worth.study.variants[trials.variant]
        bp = "-" if trials.bp is None else f"{100 * trials.bp.mean:.2f}"
        console.print(
            f"{name}, {table_name(worth.study.tables[trials.table])}: {counted(trials.asked, 'game')} with trials; "
            f"a BP is worth {bp} points of the chance of winning; 95 % intervals",
            highlight=False,
        )
        table = Table()
        table.add_column("gene")
        for heading in ("price", "MP", "worth in BP", "paid: chance, points", "trials", "bought, %", "owners win, %"):
            table.add_column(heading, justify="right")
        for gene in trials.genes:
            table.add_row(
                gene.gene,
                str(gene.price),
                str(gene.mutation_points),
                _number(gene.worth, "+.1f"),
                _number(gene.paid, "+.1f", 100),
                f"{gene.trials:,}",
                "-" if gene.bought is None else f"{100 * gene.bought.mean:.0f}",
                "-" if gene.owners_win is None else f"{100 * gene.owners_win.mean:.0f}",
            )
        console.print(table)


def _print_comparison(console: Console, comparison: "Comparison") -> None:
    """What is different from the base; the report has everything."""
    from ursuppe_agents.arena import table_name

    study = comparison.study
    different = [figure for figure in comparison.figures if figure.is_different]
    compared = sum(figure.difference is not None for figure in comparison.figures)
    console.print(f"{counted(comparison.games, 'game')}; 95 % intervals", highlight=False)
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


def _number(figure: "Interval | None", form: str, factor: float = 1) -> str:
    if figure is None:
        return "-"
    mean, low, high = (factor * number for number in figure)
    return f"{mean:{form}} ({low:{form}} to {high:{form}})"
