"""An agent of ours behind the line protocol, so that another program can play against it (docs/protocol.md)."""

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_agents.protocol import messages
from ursuppe_agents.registry import make_agent, prepare_agent
from ursuppe_env import Games, __version__
from ursuppe_env.teams import checked_teams


def serve(spec: str, lines: Iterable[bytes], out: BinaryIO) -> None:
    """Let an agent answer the lines of a host until it says goodbye, or there are no more.

    There is an agent of the spec for each game, with the seed that the host gives for it.

    Raises:
        ValueError: the spec describes no agent, or the host sent something wrong; it has been told, too.
    """
    make_agent(spec, 0)  # a wrong spec shows at once
    agents: dict[int, Agent] = {}  # of the games that are not over
    for line in lines:
        try:
            message = messages.read_message(line, messages.FROM_HOST)
            answer = _answer(message, spec, agents)
        except ValueError as error:
            _write(messages.Error(message=str(error)), out)
            raise
        if answer is not None:
            _write(answer, out)
        if isinstance(message, messages.Bye):
            return


def _answer(message: messages.Message, spec: str, agents: dict[int, Agent]) -> messages.Message | None:
    match message:
        case messages.Hello():
            if message.protocol != messages.VERSION:
                known = f"this program knows version {messages.VERSION}"
                raise ValueError(f"hello: protocol is {message.protocol}; {known}")
            prepare_agent(spec)  # the host waits for this longer than for a decision
            return messages.Ready(name=spec[:200], version=__version__, sees=["position"])
        case messages.Game():
            agent = make_agent(spec, message.seed)
            if (told := message.teams) is not None:
                agent.teams = checked_teams(tuple(map(tuple, told.seats)), told.score, message.players)
            agents[message.game] = agent
        case messages.Decide():
            chosen = [messages.Choice(game=one.game, action=_chosen(one, agents)) for one in message.decisions]
            return messages.Action(request=message.request, actions=chosen)
        case messages.Over():
            agents.pop(message.game, None)
    return None


def _chosen(decision: messages.Decision, agents: dict[int, Agent]) -> int:
    """The agent's action in a game."""
    where = f"decide: game {decision.game}"
    if decision.game not in agents:
        raise ValueError(f"{where} has not begun; there must be a message 'game' first")
    if decision.position is None:
        raise ValueError(f"{where}: position is missing; 'ready' asked for it")
    try:
        games = Games.from_dict(decision.position, threads=1)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if games.player[0] < 0:
        raise ValueError(f"{where}: nobody decides in its position")
    legal = np.flatnonzero(games.legal()[0]).tolist()
    if sorted(decision.ids) != legal:
        raise ValueError(f"{where}: ids is {decision.ids}; legal in its position are {legal}")
    return int(agents[decision.game].act(games, np.zeros(1, np.int64))[0])


def lines_of(stream: BinaryIO) -> Iterable[bytes]:
    """The lines that come, as they come.

    Raises:
        ValueError: one is longer than any that a host sends.
    """
    while line := stream.readline(messages.LONGEST_FROM_HOST + 1):
        if len(line) > messages.LONGEST_FROM_HOST:
            raise ValueError(f"the host sent a line of more than {messages.LONGEST_FROM_HOST:,} bytes")
        yield line


def _write(message: messages.Message, out: BinaryIO) -> None:
    out.write(message.line())
    out.flush()
