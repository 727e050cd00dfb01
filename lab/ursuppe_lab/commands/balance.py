"""``ursuppe balance``: studies of the rules, and questions about a change of them."""

from typing import Any

import typer
from typer.core import TyperGroup

from ursuppe_lab.commands.ask import ask
from ursuppe_lab.commands.study import study

_STUDY = "study"


class _StudyUnlessNamed(TyperGroup):
    """A group in which what is no command of it is the name of a study: ``ursuppe balance editions``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, *ctx.help_option_names):
            args = [_STUDY, *args]
        return super().parse_args(ctx, args)


balance = typer.Typer(
    cls=_StudyUnlessNamed,
    help="Study the balance of the game: play a study, or ask what a change of the rules does.\n\n"
    "`ursuppe balance STUDY` plays a study: a FILE.toml, or one that comes with the package. `ursuppe balance ask "
    "CHANGES` says what a change of the rules does.\n\n"
    "Example: ursuppe balance ask price.speed=5",
)
balance.command(_STUDY)(study)
balance.command()(ask)
