"""``ursuppe average``: the policy whose weights are the means of those of others."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.line import in_one_line

# torch takes seconds to import: only the functions that need it do, so that `ursuppe --help` stays fast.


def average(
    policies: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files of policies, at least two.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
) -> None:
    """Make one policy of several that learned from the same one: the mean of their weights.

    Such as the last ones of several stages of a training, each begun from the one before (`initial_policy`). It is
    harder to exploit than any of them may be; of policies that began with other weights it cannot play at all.
    """
    from ursuppe_training.networks.averaging import average_policies

    found = average_policies(policies, out)
    typer.echo(in_one_line(f"{out}: {found.in_words()}"))
