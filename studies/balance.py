"""Play the studies of docs/balance.md, or what is left of them, and write its tables and pictures."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from studies.genes import fairer_tables, gene_tables, strength_tables
from studies.lead import lead_tables, overview_tables, policies_list
from studies.pages import shown_in, write_page
from studies.pictures import pictures_of
from studies.places import bid_tables, edition_tables, place_tables
from studies.results import play_studies
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import in_one_line
from ursuppe_lab.commands.options import Workers

_RUNS = Path("runs/balance")
_OF_GENES, _OF_PLACES = (gene_tables, strength_tables), (place_tables, bid_tables)
TABLES = (overview_tables, *_OF_GENES, *_OF_PLACES, lead_tables, edition_tables, fairer_tables)


def main(
    page: Annotated[Path, typer.Argument(help="The page whose tables are written anew.")] = Path("docs/balance.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games, a folder for each study.")] = _RUNS,
    workers: Workers = None,
) -> None:
    """Play the studies of the balance, or what is left of them, and write the tables and pictures of their page.

    Figures that stand in the page's own sentences are printed.
    """
    try:
        with progress_bar() as progress:
            results = play_studies(folder, workers, shown_in(progress))
        tables = {name: text for tables_of in TABLES for name, text in tables_of(results).items()}
        tables["policies"] = policies_list(results.origins)
        for name, text in write_page(page, tables, pictures_of(results)).items():
            typer.echo(f"{name}: {text}")
    except (ValueError, OSError) as error:
        typer.echo(f"balance: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
