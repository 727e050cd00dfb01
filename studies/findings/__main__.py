"""Play the studies of the findings, or what is left of them, and write the page and its pictures."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from studies.findings.adaptation.options import LIKELIEST, Policies3, Policies4, SpecialistOption
from studies.findings.adaptation.studies import adaptation_studies
from studies.findings.page import findings_page
from studies.findings.plots import findings_plots
from studies.findings.results import play_studies
from studies.findings.wording import IMAGES
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.files import write_atomically
from ursuppe_lab.jobs.options import Workers


def main(
    page: Annotated[Path, typer.Argument(help="Where to write the page.")] = Path("docs/balance.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games, a folder for each study.")] = Path(
        "runs/balance"
    ),
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="A policy for 4 players that genes are measured under, too: of another seed, or trained against one "
            "of the others; may be given several times.",
            show_default=False,
        ),
    ] = None,
    policies_3: Policies3 = [LIKELIEST],  # noqa: B006 (typer copies it)
    policies_4: Policies4 = [LIKELIEST],  # noqa: B006
    specialist: SpecialistOption = [],  # noqa: B006
    workers: Workers = None,
) -> None:
    """Study the balance of the game and write what was found."""
    try:
        adaptation = adaptation_studies(policies_3, policies_4, specialist)
        results = play_studies(folder, adaptation, workers, policy or ())
    except (ValueError, OSError) as error:
        typer.echo(f"findings: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)
    for name, picture in findings_plots(results).items():
        write_atomically(page.parent / IMAGES / name, picture)
    write_atomically(page, findings_page(results).encode())
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
