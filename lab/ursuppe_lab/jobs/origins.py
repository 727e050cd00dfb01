"""Where the trained policies come from that play in a run.

The spec of a policy names a file, and tomorrow that may hold another policy. So the folder of a run knows their digests
(``ursuppe_lab.jobs.folder``): a run that is resumed, or shown again, never mixes two of them.
"""

from collections.abc import Iterable
from itertools import product

from ursuppe_agents.evaluator import Origin, Trained, evaluator_of
from ursuppe_agents.registry import make_agent


def origin_of(spec: str, players: int) -> Origin | None:
    """Where the policy comes from that an agent plays by, or that guides its search; None: it has none.

    Raises:
        ValueError: there is no such agent, or it has no policy for so many players.
        OSError: the file of its policy cannot be read.
    """
    policy = evaluator_of(make_agent(spec, 0))
    return policy.origin(players) if isinstance(policy, Trained) else None


def origins_of(agents: Iterable[str], players: Iterable[int]) -> dict[str, Origin]:
    """Of all agents that have a policy, with each number of players, such as ``policy:default with 4 players``.

    Errors are those of ``origin_of``.
    """
    seated = product(dict.fromkeys(agents), dict.fromkeys(players))
    found = {f"{spec} with {table} players": origin_of(spec, table) for spec, table in seated}
    return {name: origin for name, origin in found.items() if origin is not None}
