"""``ursuppe balance STUDY``: what a change of the rules does, what a gene is worth, which numbers are fairer."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from typer.core import TyperGroup

from ursuppe_agents.commands.options import AllowCommand, AllowModule, allowed_code
from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.extras import require_extra
from ursuppe_env.line import counted
from ursuppe_lab.commands.ask import ask
from ursuppe_lab.commands.options import OnRay, Out, Workers, games_progress, tell_files
from ursuppe_lab.commands.tables import stacked, table_that_fits
from ursuppe_lab.reports.text import NONE, lineup_name, printable, value
from ursuppe_lab.statistics import Interval

if TYPE_CHECKING:
    from ursuppe_lab.balance import Comparison, FairerGame, GeneFigures, GeneWorth

# The laboratory takes half a second to import: only the functions that need it do.

_MOST_LINES = 20  # to be printed; the report has them all
_LEAST_COLUMNS = 4  # of a gene: its name, its two figures, and the verdict


class _StudyUnlessNamed(TyperGroup):
    """A group in which what is no command of it is the name of a study: ``ursuppe balance editions``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["study", *args]
        return super().parse_args(ctx, args)


balance = typer.Typer(
    cls=_StudyUnlessNamed,
    help="Study the balance of the game: play a study, or ask what a change of the rules does.\n\n"
    "`ursuppe balance STUDY` plays a study: a FILE.toml, or one that comes with the package. `ursuppe balance ask "
    "CHANGES` says what a change of the rules does.\n\n"
    "Example: ursuppe balance ask price.speed=5",
)


@balance.command()
def study(
    name: Annotated[
        str, typer.Argument(metavar="STUDY", help="FILE.toml, or the name of a study that comes with the package.")
    ],
    games: Annotated[int | None, typer.Option(help="Number of games, in place of the one in the study.", min=1)] = None,
    workers: Workers = None,
    ray: OnRay = False,
    out: Out = None,
    allow_module: AllowModule = None,
    allow_command: AllowCommand = None,
) -> None:
    """Play a study: compare rulesets, measure what genes are worth, or search for a fairer game.

    Example: ursuppe balance editions --games 100 --out runs/editions
    """
    require_extra("balance")
    from ursuppe_lab.balance import GeneStudy, VariantStudy, compare_variants, measure_genes, read_study, search_fairer

    found = read_study(name, games, allowed_code(allow_module, allow_command))
    console = tables_console()
    with games_progress(found.total_games, out) as on_progress:
        if isinstance(found, VariantStudy):
            _, comparison = compare_variants(found, out, workers, ray, on_progress)
            show = partial(_print_comparison, console, comparison)
        elif isinstance(found, GeneStudy):
            _, worth = measure_genes(found, out, workers, ray, on_progress)
            show = partial(print_worth, console, worth)
        else:
            show = partial(_print_fairer, console, search_fairer(found, out, workers, ray, on_progress))
    show()
    tell_files(out)


balance.command()(ask)


def _print_fairer(console: Console, game: "FairerGame") -> None:
    """What was found, and how much fairer it is."""
    before, after = game.candidates[0].values, game.best.values
    columns = {"number": list(before), "before": [*map(str, before.values())], "after": [str(after[n]) for n in before]}
    console.print(table_that_fits(console, columns, len(columns))[0])
    console.print(
        "Spread of the genes, by what buying them would do to the chance of winning, in points, on fresh dice: "
        f"{value(game.before, '.2f', 100)} before, {value(game.after, '.2f', 100)} after; "
        f"change {value(game.change, '+.2f', 100)}; 95 % intervals"
    )
    if game.search.trials.about_predictions is not None:
        console.print(game.search.trials.about_predictions)


def print_worth(console: Console, worth: "GeneWorth") -> None:
    """The genes of each variant with each lineup, the best purchase first."""
    hidden: dict[str, None] = {}  # in the order of the columns
    for trials in worth.trials:
        name, _ = worth.study.variants[trials.variant]
        console.print(
            f"{printable(name)}, {lineup_name(worth.study.lineups[trials.lineup])}: "
            f"{counted(trials.asked, 'game')} with trials; "
            f"a BP is worth {value(trials.bp, '.2f', 100)} points of the chance of winning; "
            f"{worth.study.about_intervals}",
            markup=False,
        )
        table, left_out = table_that_fits(console, _columns_of(trials.genes), _LEAST_COLUMNS)
        hidden |= dict.fromkeys(left_out)
        console.print(table)
    console.print(
        f"{worth.about_verdicts}. paid: what buying the gene does to the chance of winning, in points, against never "
        "having it; neutral price: the one at which buying it would change nothing; given: what it does if its price "
        "is given to the buyer."
    )
    if worth.study.about_predictions is not None:
        console.print(worth.study.about_predictions)
    if hidden:
        console.print(f"Not shown for want of room: {'; '.join(hidden)}.")


def _columns_of(genes: "list[GeneFigures]") -> dict[str, list[str]]:
    """By heading, the most important ones first: what is in the line of each gene."""
    verdicts = [NONE if gene.judgement is None else gene.judgement.verdict.value for gene in genes]
    neutral = [stacked(gene.neutral_price, ".1f") if gene.is_currency else "BP are no\ncurrency" for gene in genes]
    return {
        "gene": [gene.gene for gene in genes],
        "paid": [stacked(gene.paid, "+.1f", 100) for gene in genes],
        "neutral\nprice, BP": neutral,
        "verdict": [NONE if verdict == "open" else verdict for verdict in verdicts],
        "price": [str(gene.price) for gene in genes],
        "given": [stacked(gene.given, "+.1f", 100) for gene in genes],
        "trials": [f"{gene.trials:,}" for gene in genes],
        "bought,\n%": [_estimate(gene.bought) for gene in genes],
        "owners\nwin, %": [_estimate(gene.owners_win) for gene in genes],
        "MP": [str(gene.mutation_points) for gene in genes],
    }


def _print_comparison(console: Console, comparison: "Comparison") -> None:
    """What is different from the base; the report has everything."""
    from ursuppe_lab.balance.measures import meaning_of

    study = comparison.study
    console.print(f"{counted(comparison.games, 'game')}; {study.about_intervals}")
    if not any(figure.adjusted_p is not None for figure in comparison.figures):
        return
    different = comparison.different
    console.print(f"{comparison.about_differences}{':' if different else '.'}")
    if not different:
        return
    table = Table(
        *(Column(heading, overflow="fold") for heading in ("lineup,\nvariant", "measure,\nfigure")),
        *(Column(heading, justify="right", no_wrap=True) for heading in ("value", "difference")),
    )
    for figure in different[:_MOST_LINES]:
        table.add_row(
            escape(f"{lineup_name(study.lineups[figure.lineup])}\n{printable(study.variants[figure.variant][0])}"),
            escape(f"{figure.measure}\n{figure.name}"),
            stacked(figure.value, ".3f"),
            stacked(figure.difference, "+.3f"),
        )
    console.print(table)
    if len(different) > _MOST_LINES:
        console.print(f"{len(different) - _MOST_LINES:,} more are not shown.")
    console.print("Wins and shares are parts of 1. What each measure is:")
    for measure in sorted({figure.measure for figure in different[:_MOST_LINES]}):
        console.print(f"- {measure}: {meaning_of(measure)}", markup=False, highlight=False)


def _estimate(proportion: Interval | None) -> str:
    """In per cent, without its interval."""
    return NONE if proportion is None else f"{100 * proportion.estimate:.0f}"
