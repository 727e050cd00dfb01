"""``ursuppe average``: the policy whose weights are the means of those of others."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.options import Force, check_new
from ursuppe_env.line import in_one_line


def average(
    policies: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files of policies, at least two.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    force: Force = False,
) -> None:
    """Make one policy of several that began with the same weights: the mean of their weights.

    Average, for instance, the last policies of several stages of a training, each begun from the one before
    (initial_policy). The mean may be harder to exploit than any of them. The mean of policies that began with other
    weights cannot play.

    Example: ursuppe average runs/one/best.zip runs/two/best.zip --out mean.zip
    """
    from ursuppe_training.networks.averaging import average_policies

    check_new(out, force)
    found = average_policies(policies, out)
    typer.echo(in_one_line(f"{out}: {found.in_words()}"))
