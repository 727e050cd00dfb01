"""Agents: a bot in a process of its own, a policy, and the search."""

import shlex
import sys
import tempfile
from pathlib import Path

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games

# Takes the first legal action: what is measured is the protocol.
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


class BotDecisions:
    """Time until a bot has answered for a batch, by what it sees and the number of games."""

    params = (["", "position", "observation", "text"], [1, 64])
    param_names = ("sees", "games")
    rounds = 3

    def setup(self, sees: str, games: int) -> None:
        """Games in their middle, and a bot that has answered once."""
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "bot.py"
        file.write_text(_BOT)
        command = shlex.join([sys.executable, str(file), *filter(None, [sees])])
        self.agent = make_agent(agent_spec("process", command=command), seed=0)
        self.games, self.rows = Games(games, seed=1, threads=1), np.arange(games)
        self.games.play_random(150)
        self.time_decisions(sees, games)

    def time_decisions(self, sees: str, games: int) -> None:
        """From the agent's call to its answer, without the steps of the games."""
        self.agent.act(self.games, self.rows)

    def teardown(self, sees: str, games: int) -> None:
        """End the bot's process."""
        del self.agent
        self.folder.cleanup()


class PolicyDecisions:
    """Time of a decision of ``policy:default`` in each game of a batch on one thread."""

    params = ([1, 64, 1024],)
    param_names = ("games",)
    rounds = 3

    def setup(self, games: int) -> None:
        """Games in their middle, and a policy that has decided once."""
        self.games, self.rows = Games(games, seed=1, threads=1), np.arange(games)
        self.games.play_random(150)
        self.agent = make_agent("policy:default", seed=0)
        self.time_decisions(games)

    def time_decisions(self, games: int) -> None:
        """Without the steps of the games."""
        self.agent.act(self.games, self.rows)


class Search:
    """Time of a search of 64 decisions in the middle of games on one thread, up to 16 play-outs each."""

    number = 1
    repeat = (3, 20, 2.0)
    rounds = 3

    def setup(self) -> None:
        """Positions, and a player that has searched nothing yet."""
        self.games = Games(64, seed=1)
        self.games.play_random(150)
        self.agent = make_agent("search:sims=16", seed=0)

    def time_64_decisions(self) -> None:
        """One decision of each game."""
        self.agent.act(self.games, np.arange(64))
