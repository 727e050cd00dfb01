"""Where the trained policies come from that play in a run.

The spec of a policy names a file, and tomorrow that may hold another policy. So the folder of a run knows their digests
(``ursuppe_lab.jobs.folder``): a run that is resumed, or shown again, never mixes two of them.
"""

from collections.abc import Iterable

from ursuppe_agents.evaluator import Origin, Trained
from ursuppe_agents.registry import make_agent


def origin_of(spec: str, players: int) -> Origin | None:
    """Where the policy comes from that an agent plays by, or that guides its search; None: it has none.

    Args:
        spec: of the agent.
        players: of the games.

    Raises:
        ValueError: there is no such agent, or it has no policy for so many players.
        OSError: the file of its policy cannot be read.
    """
    agent = make_agent(spec, 0)
    policy = getattr(agent, "evaluator", agent)  # a search has one
    return policy.origin(players) if isinstance(policy, Trained) else None


def origins_of(agents: Iterable[str], players: Iterable[int]) -> dict[str, Origin]:
    """Of all agents that have a policy, such as ``policy:default with 4 players``; errors are those of ``origin_of``.

    Args:
        agents: their specs.
        players: of the games, each number in which all of them play.
    """
    tables = list(dict.fromkeys(players))
    seated = [(spec, table) for spec in dict.fromkeys(agents) for table in tables]
    found = {f"{spec} with {table} players": origin_of(spec, table) for spec, table in seated}
    return {name: origin for name, origin in found.items() if origin is not None}
