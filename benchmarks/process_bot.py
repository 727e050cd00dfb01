"""How many decisions a second a bot in a process of its own answers, in batches and one at a time.

    python benchmarks/process_bot.py [--seconds 3] [--sees position] [--batch 1 --batch 64] [--command ./bot]

The bot is by default one in Python that takes the first legal action and thinks about nothing: what is measured is the
protocol, from the agent's ``act`` to its return, without the steps of the games.
"""

import shlex
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Annotated

import numpy as np
import typer

from ursuppe_agents import make_agent
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games

_BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "first", "sees": sys.argv[1:]}), flush=True)
    elif message["type"] == "decide":
        actions = [{"game": one["game"], "action": one["ids"][0]} for one in message["decisions"]]
        print(json.dumps({"type": "action", "request": message["request"], "actions": actions}), flush=True)
"""


def decisions_per_second(command: str, batch: int, seconds: float) -> float:
    """What the bot of this command answers, in so many games at once."""
    agent = make_agent(agent_spec("process", command=command), seed=0)
    games = Games(batch, seed=1, threads=1)
    rows = np.arange(batch)
    made, spent = 0, 0.0
    while spent < seconds:
        if games.finished.any():
            games.reset(games.finished)
        began = perf_counter()
        actions = agent.act(games, rows)
        spent += perf_counter() - began
        made += batch
        games.step(actions, rows)
    return made / spent


def main(
    seconds: Annotated[float, typer.Option(help="For each measurement.")] = 3.0,
    sees: Annotated[list[str] | None, typer.Option(help="position, observation, ...; by default nothing.")] = None,
    batch: Annotated[list[int], typer.Option(help="Games at once.")] = [1, 64],  # noqa: B006
    command: Annotated[str | None, typer.Option(help="Of another bot.")] = None,
) -> None:
    """Measure, and print decisions a second."""
    with tempfile.TemporaryDirectory() as folder:
        if command is None:
            file = Path(folder) / "bot.py"
            file.write_text(_BOT)
            command = shlex.join([sys.executable, str(file), *(sees or ())])
        for games in batch:
            print(f"{games:>5} at once: {decisions_per_second(command, games, seconds):>9,.0f} decisions/s")


if __name__ == "__main__":
    typer.run(main)
