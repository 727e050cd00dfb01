"""Play the studies of docs/balance.md, or what is left of them, and write its tables and pictures."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from studies.bars import KINDS, PRICES, Bars, bar_tables, play_bars
from studies.corrections import Corrections, correction_tables, play_corrections
from studies.editions import edition_tables
from studies.fairer import fairer_tables
from studies.genes import gene_tables
from studies.lead import lead_tables
from studies.overview import Outline, lineups_in_words, overview_tables, policies_list, studies_table
from studies.pages import write_page
from studies.pictures import bars_picture, pictures_of, predictions_picture
from studies.places import bid_tables, place_tables
from studies.predictions import Predictions, play_predictions, prediction_tables, ruleset_name
from studies.results import origins_of_specs, play_studies
from studies.specialists import (
    FoundSpecialists,
    Specialists,
    play_specialists,
    specialist_bars_table,
    specialist_predictions_table,
)
from studies.strength import strength_tables
from studies.trials import OnProgress, shown_in
from ursuppe_env import Ruleset
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_lab.commands.options import Workers

LIKELIEST = "policy:default,deterministic=true"  # who adapts if nothing is said
PLAYERS = (3, 4)  # with whom adaptation is studied
PRINTED_TABLES = (
    *(overview_tables, gene_tables, strength_tables, place_tables, bid_tables, lead_tables, edition_tables),
    fairer_tables,
)

#: By number of players and name of a ruleset: specs of policies that have learned that ruleset and no other.
SpecialistSpecs = Mapping[tuple[int, str], Sequence[str]]


class Part(StrEnum):
    """What can be played alone."""

    PRINTED = "printed"
    BARS = "bars"
    CORRECTIONS = "corrections"
    PREDICTIONS = "predictions"


def play(
    folder: Path,
    parts: Iterable[Part],
    policies: Sequence[str],
    adapting: Mapping[int, Sequence[str]],
    specialists: SpecialistSpecs,
    workers: int | None,
    on_progress: OnProgress,
) -> Iterator[tuple[dict[str, str], dict[str, bytes]]]:
    """The tables and the pictures of some parts, each when it is played.

    Args:
        folder: has a folder for each study; what is there is not played again.
        parts: to be played.
        policies: specs for 4 players that genes are measured under, too.
        adapting: by number of players, specs of policies that adapt: all play the bars, and the first one the rest.
        specialists: that bars and predictions are compared with.
        workers: processes; None: one per core.
        on_progress: is told how far it is.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: the folder of a study holds something else, or an agent does not exist.
        OSError: a folder cannot be read or written.
    """
    bars = [Bars(players=players, policies=tuple(specs)) for players, specs in adapting.items()]
    corrections = [Corrections(players=players, policies=tuple(specs[:1])) for players, specs in adapting.items()]
    predictions = [Predictions(players=players, agent=specs[0]) for players, specs in adapting.items()]

    def of_players(players: int) -> OnProgress:
        return lambda name, over, total: on_progress(f"{players} players, {name}", over, total)

    def special(rulesets: Mapping[tuple[int, str], Ruleset], folder: Path) -> list[FoundSpecialists]:
        return [
            play_specialists(
                Specialists(name=name, ruleset=rulesets[players, name], policies=tuple(specs)),
                folder / str(players),
                workers,
                of_players(players),
            )
            for (players, name), specs in specialists.items()
            if (players, name) in rulesets
        ]

    if Part.PRINTED in parts:
        results = play_studies(folder, workers, policies, on_progress)
        tables: dict[str, str] = {}
        for tables_of in PRINTED_TABLES:
            tables |= tables_of(results)
        seated = [(spec, players) for players, specs in adapting.items() for spec in specs]
        seated += [(spec, players) for (players, _), specs in specialists.items() for spec in specs]
        tables["policies"] = policies_list(dict(sorted((results.origins | origins_of_specs(seated)).items())))
        tables["studies"] = studies_table(results.studies, outlines(bars, corrections, predictions))
        yield tables, pictures_of(results)
    if Part.BARS in parts:
        here = folder / Part.BARS
        found = [play_bars(one, here / str(one.players), workers, of_players(one.players)) for one in bars]
        rulesets = {(one.bars.players, name): ruleset for one in found for name, ruleset in one.rulesets.items()}
        compared = specialist_bars_table(found, special(rulesets, here))
        yield bar_tables(found) | {"bars specialists": compared}, {"bars": bars_picture(found)}
    if Part.CORRECTIONS in parts:
        yield correction_tables(play_corrections(corrections, folder / Part.CORRECTIONS, workers, on_progress)), {}
    if Part.PREDICTIONS in parts:
        here, tables = folder / Part.PREDICTIONS, {}
        foretold = [
            play_predictions(one, here / str(one.players), workers, of_players(one.players)) for one in predictions
        ]
        drawn = {(one.study.players, name): ruleset for one in foretold for name, ruleset in one.study.study.variants}
        beside = special(drawn, here)
        for one in foretold:
            players = one.study.players
            mine = [each for each in beside if each.specialists.ruleset.players == players]
            tables |= prediction_tables(one)
            tables[f"predictions specialists {players}"] = specialist_predictions_table(one, mine)
        yield tables, {"predictions": predictions_picture(foretold)}


def outlines(
    bars: Sequence[Bars], corrections: Sequence[Corrections], predictions: Sequence[Predictions]
) -> Iterator[Outline]:
    """What is played of adaptation, but for specialists."""
    for one in bars:
        agents = [(agent,) for kind in KINDS for agent in one.agents(kind)]
        yield f"bars/{one.players}", lineups_in_words(agents), sum(one.total_games.values()), one.seed
    for study in corrections:
        agents = [(agent,) for agent in study.agents]
        yield f"corrections/*-{study.players}", lineups_in_words(agents), study.total_games, study.seed
    for each in predictions:
        yield f"predictions/{each.players}", lineups_in_words([(each.agent,)]), each.total_games, each.study.seed


def specialists_by_ruleset(given: Iterable[str]) -> dict[tuple[int, str], list[str]]:
    """The specs of ``PLAYERS:RULESET=SPEC``.

    Raises:
        ValueError: one of them is written otherwise, or there is no such ruleset.
    """
    names = [*PRICES, *map(ruleset_name, range(Predictions.rulesets))]
    known = {f"{players}:{name}": (players, name) for players in PLAYERS for name in names}
    found: dict[tuple[int, str], list[str]] = {}
    for text in given:
        ruleset, _, spec = text.partition("=")
        if ruleset not in known or not spec:
            raise ValueError(
                f"--specialist {text!r} is no PLAYERS:RULESET=SPEC, such as 4:fixed=policy:best.zip; known are "
                f"{', '.join(known)}"
            )
        found.setdefault(known[ruleset], []).append(spec)
    return found


def main(
    page: Annotated[Path, typer.Argument(help="The page whose tables are written anew.")] = Path("docs/balance.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games, a folder for each study.")] = Path(
        "runs/balance"
    ),
    only: Annotated[
        list[Part], typer.Option(help="A part of the page, in place of all; may be given several times.")
    ] = list(Part),  # noqa: B006 (typer copies it)
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="SPEC",
            help="A policy for 4 players that genes are measured under, too: of another seed, or trained against one "
            "of the others; may be given several times.",
        ),
    ] = [],  # noqa: B006
    policy_3: Annotated[
        list[str], typer.Option(metavar="SPEC", help="A policy for 3 players that adapts; may be given several times.")
    ] = [LIKELIEST],  # noqa: B006
    policy_4: Annotated[list[str], typer.Option(metavar="SPEC", help="The same for 4 players.")] = [LIKELIEST],  # noqa: B006
    specialist: Annotated[
        list[str],
        typer.Option(
            metavar="PLAYERS:RULESET=SPEC",
            help="A policy that was trained on one of the rulesets alone, such as 4:fixed=policy:best.zip; may be "
            "given several times.",
        ),
    ] = [],  # noqa: B006
    workers: Workers = None,
) -> None:
    """Play the studies of the balance, or what is left of them, and write the tables and pictures of their page.

    Figures that stand in the page's own sentences are printed.
    """
    adapting = {players: {3: policy_3, 4: policy_4}[players] for players in PLAYERS}
    try:
        special = specialists_by_ruleset(specialist)
        with progress_bar() as progress:
            for tables, pictures in play(folder, only, policy, adapting, special, workers, shown_in(progress)):
                for name, text in write_page(page, tables, pictures).items():
                    typer.echo(f"{name}: {text}")
    except (ValueError, OSError) as error:
        typer.echo(f"balance: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
