"""``ursuppe critic``: give a finished policy a critic of its own."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.options import Force, check_new
from ursuppe_env.line import in_one_line
from ursuppe_training.commands.shared import Threads


def critic(
    policy: Annotated[Path, typer.Argument(metavar="FILE", help="The file of a policy.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    games: Annotated[int, typer.Option(help="Games to play and to learn from.")] = 100_000,
    threads: Threads = None,
    force: Force = False,
) -> None:
    """Give a finished policy a critic of its own, so that search by it is stronger.

    The policy plays games, and its new critic learns how they end. Its actions stay the same.

    Example: ursuppe critic runs/mine/best.zip --out mine.zip
    """
    from ursuppe_env.cli.progress import progress_bar
    from ursuppe_training.critics.fit import fit_critic

    check_new(out, force)
    with progress_bar() as progress:
        task = progress.add_task("playing", total=None)

        def show(doing: str, done: int, of_all: int) -> None:
            progress.update(task, description=doing, completed=done, total=of_all)

        fit = fit_critic(policy, out, games, threads, show)
    typer.echo(f"Cross-entropy of the winner in {fit.positions:,} other positions: {fit.before:.4f} -> {fit.after:.4f}")
    typer.echo(in_one_line(f"{out}: {fit.provenance.in_words()}"))
