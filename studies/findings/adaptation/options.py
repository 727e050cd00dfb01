"""Options of the commands that play the studies of adaptation."""

from typing import Annotated

import typer

LIKELIEST = "policy:default,deterministic=true"  # who adapts if nothing is said

Policies3 = Annotated[
    list[str],
    typer.Option("--policy-3", help="Spec of a policy for 3 players that adapts; may come repeatedly."),
]
Policies4 = Annotated[list[str], typer.Option("--policy-4", help="The same for 4 players.")]
SpecialistOption = Annotated[
    list[str],
    typer.Option(
        "--specialist",
        metavar="PLAYERS:RULESET=SPEC",
        help="A policy that was trained on one of the rulesets alone, such as 4:fixed=policy:best.zip; may come "
        "repeatedly.",
    ),
]
