"""``ursuppe bot``: programs as agents, and agents as programs, behind the line protocol (docs/protocol.md)."""

from typing import Annotated

import typer

from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import in_one_line

# Agents take a while to import: only the functions that need them do.

_FAULTY = 1

bot = typer.Typer(
    help="Connect programs in any language by a protocol of lines: test a bot, or serve an agent.\n\n"
    "Example: ursuppe bot check 'ursuppe bot serve random'"
)


@bot.command()
def check(
    command: Annotated[
        str, typer.Argument(help="The command that starts the bot, such as 'python bot.py'.", show_default=False)
    ],
    ms: Annotated[float, typer.Option(help="Time limit for a decision, in milliseconds.", min=0.001)] = 10_000,
) -> int:
    """Test a bot in every kind of decision, with all numbers of players and odd rulesets, and say what is wrong.

    Example: ursuppe bot check 'ursuppe bot serve random'
    """
    from ursuppe_agents.protocol.check import check_bot

    with progress_bar() as progress:
        task = progress.add_task("stages", total=None)
        findings = check_bot(
            command, ms, on_progress=lambda over, total: progress.update(task, completed=over, total=total)
        )
    for problem in findings.problems:
        typer.echo(in_one_line(problem))
    wrong = f"{len(findings.problems)} wrong" if findings.problems else "nothing is wrong"
    typer.echo(f"{in_one_line(str(findings))}: {wrong}")
    return _FAULTY if findings.problems else 0


@bot.command()
def serve(
    spec: Annotated[
        str, typer.Argument(help="The agent: hunter, search:ms=20, policy:default, ...", show_default=False)
    ],
) -> None:
    """Let an agent decide for another program, which speaks the protocol on standard input and output.

    Example: ursuppe bot serve hunter
    """
    import sys

    from ursuppe_agents.protocol import server

    server.serve(spec, server.lines_of(sys.stdin.buffer), sys.stdout.buffer)
