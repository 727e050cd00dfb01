"""``ursuppe balance ask``: what a change of the rules does, within a minute."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.options import Edition, Players, RulesetFile, Seed, make_ruleset
from ursuppe_env.extras import require_extra
from ursuppe_env.line import counted, in_one_line
from ursuppe_env.rules.ruleset import PRESETS, Ruleset
from ursuppe_lab.commands.options import OnRay, Workers, games_progress
from ursuppe_lab.commands.tables import stacked, table_that_fits

if TYPE_CHECKING:
    from ursuppe_lab.balance import Effect, Effects

# The laboratory takes half a second to import: only the functions that need it do.

_GAMES = 400
_LEAST_COLUMNS = 3  # a gene or figure, and its changes
_MARK = " *"


def ask(
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHANGES",
            help="New values of fields of the ruleset, as in TOML: price.speed=5 income=12 own_clinging=true.",
        ),
    ] = None,
    players: Players = None,
    edition: Edition = None,
    ruleset: RulesetFile = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="The ruleset to compare with: a TOML file, or the name of an edition or preset: "
            f"{', '.join(PRESETS)}.",
            show_default="the edition as printed",
        ),
    ] = None,
    agent: Annotated[
        str, typer.Option(help="Who plays every seat and predicts who wins: a policy, or a search with one.")
    ] = "policy:default",
    games: Annotated[
        int,
        typer.Option(
            help="Games with gene trials for each ruleset. Twice as many ordinary games are played beside them.", min=1
        ),
    ] = _GAMES,
    seed: Seed = 0,
    workers: Workers = None,
    ray: OnRay = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for summary.json, report.html, picture.svg, and all games in genes/ and games/. The same "
            "command with the same folder resumes an interrupted run.",
        ),
    ] = None,
) -> None:
    """Say what a change of the rules does to genes, start places, length and lead.

    Both rulesets are played by an agent that was trained on varying rulesets and sees the change. What the change does
    to genes is a prediction by that agent.

    Example: ursuppe balance ask price.speed=5
    """
    require_extra("balance")
    from ursuppe_lab.balance import Question, changed, unfamiliar_to
    from ursuppe_lab.balance import ask as answer

    beginning = make_ruleset(players, edition, ruleset)
    after = changed(beginning, changes or [])
    if against is None:
        before = Ruleset(players=beginning.players, edition=beginning.edition)
    else:
        before = make_ruleset(None, None, against, Ruleset(players=after.players))
    question = Question(before=before, after=after, agent=agent, games=games, seed=seed)
    for line in unfamiliar_to(question):
        typer.echo(f"ursuppe: beyond what {agent} has learned: {in_one_line(line)}", err=True)
    with games_progress(question.total_games, out) as on_progress:
        found = answer(question, out, workers, ray, on_progress)
    if as_json:
        typer.echo(json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False))
    else:
        print_effects(tables_console(), found)
    if out is not None:
        typer.echo(f"{out / 'report.html'}: the report; beside it picture.svg and summary.json", err=as_json)


def print_effects(console: Console, found: "Effects") -> None:
    """Tables of the genes and of all other figures; an asterisk is with the differences that count."""
    question = found.question
    console.print(f"What {question.title} does:", markup=False)
    for sentence in found.in_short or ["No difference is shown."]:
        console.print(f"- {sentence}", markup=False)
    console.print(
        f"{counted(question.trials.num_games, 'game')} with trials of genes and {question.ordinary.num_games:,} "
        f"ordinary ones with each ruleset, {question.agent}; {found.about_intervals}",
        markup=False,
    )
    hidden: list[str] = []
    for columns in (_columns_of_genes(found), _columns_of_games(found)):
        table, left_out = table_that_fits(console, columns, _LEAST_COLUMNS)
        console.print(table)
        hidden += left_out
    console.print(f"{found.about_differences}: those with an asterisk.")
    console.print(found.about_predictions)
    if hidden:
        console.print(f"Not shown for want of room: {'; '.join(hidden)}.")


def _columns_of_genes(found: "Effects") -> dict[str, list[str]]:
    """By heading, the most important ones first: what is in the line of each gene."""
    from ursuppe_lab.balance.figures.effects import NEUTRAL_PRICE, PAID

    figures = (
        ("neutral price", "BP", 1, list(found.of(NEUTRAL_PRICE).values())),
        ("paid", "points", 100, list(found.of(PAID).values())),
        ("bought", "%", 100, list(found.of("genes_bought").values())),
    )
    columns = {"gene": [effect.name for effect in found.of(PAID).values()]}
    for name, unit, factor, effects in figures:
        columns[f"{name},\nchange, {unit}"] = [_change(effect, factor) for effect in effects]
    for name, _, factor, effects in figures:
        columns[f"{name}\nbefore"] = [stacked(effect.before, ".1f", factor) for effect in effects]
        columns[f"{name}\nafter"] = [stacked(effect.after, ".1f", factor) for effect in effects]
    return columns


def _columns_of_games(found: "Effects") -> dict[str, list[str]]:
    """The same of the other figures."""
    from ursuppe_lab.balance.question import MEASURES

    effects = [
        (effect, 100 if measure.startswith("wins") else 1)
        for measure in MEASURES
        if measure != "genes_bought"
        for effect in found.of(measure).values()
        if effect.before is not None or effect.after is not None
    ]
    names = [f"{effect.figure.replace('_', ' ')}, {effect.name}" for effect, _ in effects]
    return {
        "figure": [f"{name}{', %' if factor == 100 else ''}" for name, (_, factor) in zip(names, effects, strict=True)],
        "change": [_change(effect, factor) for effect, factor in effects],
        "before": [stacked(effect.before, ".1f", factor) for effect, factor in effects],
        "after": [stacked(effect.after, ".1f", factor) for effect, factor in effects],
    }


def _change(effect: "Effect", factor: float = 1) -> str:
    estimate, line, ends = stacked(effect.difference, "+.1f", factor).partition("\n")
    return f"{estimate}{_MARK if effect.is_different else ''}{line}{ends}"
