"""Scripted agents in games on a GPU: the same tactics, one thread a game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.registry import make_agent
from ursuppe_agents.scripted.agents import ScriptedAgent
from ursuppe_agents.scripted.tactics.decide import decide
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import checked_output_there, checked_there
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.board import NUM_SPACES

NO_AGENT = -1


class ScriptedSeats:
    """Scripted agents at some seats, or all, of games on a GPU. They choose what they choose on the processor.

    Args:
        games: on a GPU.
        agents: the names of scripted agents, such as ``"breeder"``; how many and in which order is up to you.
        plays: (N, P) integers: which of the agents plays each seat of each game, counted from 0; -1: none of them.
            On the GPU (int64) it is read anew at each ``act``, and nobody is told which agents there are none of.
            Default: the seats by turns, in every game alike.

    Raises:
        ValueError: a name is not that of a scripted agent, or ``plays`` names another agent, or has another shape.
    """

    def __init__(self, games: GamesCuda, agents: Sequence[str], plays: Any = None) -> None:
        self._games = games
        strategies = [_scripted(name).strategy.record for name in agents]
        if not strategies:
            raise ValueError("agents is empty; it must name scripted agents, such as ['breeder', 'hunter']")
        shape = (len(games), games.num_players)
        if plays is None:
            plays = np.broadcast_to(np.arange(games.num_players) % len(strategies), shape)
        records = np.concatenate(strategies)
        records.flags.writeable = False
        device = games.device
        self._strategies = device.from_host(records)
        if (there := device.taken(plays)) is not None:
            self._plays = checked_there("plays", there, shape, np.int64)
        else:
            self._plays = device.from_host(_checked_plays(plays, shape, len(strategies)))
        self._rules = device.from_host(games.rules)
        self._first_row = device.from_host(np.zeros(1, np.int64))
        self._soup = device.empty((len(games), 2, NUM_SPACES), np.float64)

    def act(self, out: Any = None) -> Any:
        """Choose for the players who are about to act and whom these agents play.

        Args:
            out: (N,) int64 on the GPU, which keeps the actions of all others; None: a new array, with -1 there.

        Returns:
            (N,) int64 on the GPU, to be handed to ``games.step`` once the others have chosen too.

        Raises:
            ValueError: ``out`` is no such array.
        """
        games = self._games
        keeps = out is not None
        actions = checked_output_there(games.device, "out", out, (len(games),), np.int64)
        strategies, plays, soup = self._strategies, self._plays, self._soup
        arguments = games.state, self._rules, strategies, plays, self._first_row, soup, keeps, actions
        games.device.launch(choose, len(games), *arguments)
        return actions


def _checked_plays(plays: Any, shape: tuple[int, int], num_agents: int) -> NDArray[np.int64]:
    plays = np.asarray(plays)
    if plays.shape != shape or plays.dtype.kind not in "iu":
        raise ValueError(f"plays has shape {plays.shape} and dtype {plays.dtype}; it must be {shape} integers")
    if plays.min() < NO_AGENT or plays.max() >= num_agents:
        wrong = plays[(plays < NO_AGENT) | (plays >= num_agents)][0]
        raise ValueError(f"plays has {wrong}; it must be -1 ... {num_agents - 1}, the places in agents")
    return np.ascontiguousarray(plays, np.int64)


def _scripted(spec: str) -> ScriptedAgent:
    agent = make_agent(spec, seed=0)
    if not isinstance(agent, ScriptedAgent):
        raise ValueError(f"agents has {spec!r}; on a GPU scripted agents alone can play, such as 'breeder'")
    return agent


def choose(row, states, rules_array, strategies, plays, first_row, soup, keeps, actions):  # type: ignore[no-untyped-def]
    """What one thread does: the action of this row's player, if one of the agents plays there."""
    player = states[row]["player"]
    agent = NO_AGENT
    if player >= 0:
        agent = plays[row, player]
    if agent != NO_AGENT:
        here = slice(row, row + 1)
        decide(states[here], rules_array, strategies[agent : agent + 1], first_row, soup[row], actions[here])
    elif player < 0 or not keeps:
        actions[row] = NO_ACTION
