"""The weights of a policy as arrays: all that is needed to play by it, without torch."""

from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.description import PolicyDescription
from ursuppe_agents.policies.inputs import num_inputs, situation_inputs
from ursuppe_agents.policies.seat_features import NUM_SEAT_FEATURES
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.teams import Teams

#: The most weights of a policy, 20 MB: no file can make a reader build more.
MOST_WEIGHTS = 10_000_000

#: What the critic predicts of each seat, in order.
KINDS = ("win", "rank", "margin")
WIN = 0

#: How the names of the parts begin, in a file and in ``ActorCritic``.
ACTOR, CRITIC, LAST = "mlp_extractor.policy_net", "mlp_extractor.value_net", "action_net"


@dataclass(frozen=True)
class Weights:
    """Those of actor and critic.

    Attributes:
        players: P, of the games that they are for.
        observe_rules: do their inputs have the ruleset of a game?
        team_shares: (P, P), ``team_shares`` of the teams that they are for; None: each seat for itself.
        arrays: float32, by the names and in the order of ``weight_shapes``.
    """

    players: int
    observe_rules: bool
    team_shares: NDArray[np.float32] | None
    arrays: dict[str, NDArray[np.float32]]

    @property
    def player_counts(self) -> tuple[int, ...]:
        """The numbers of players in games that it plays."""
        return (self.players,)


@dataclass(frozen=True)
class BoardWeights:
    """Those of a network that sees the board (``ursuppe_agents.policies.board``).

    Attributes:
        player_counts: the numbers of players in games that it plays.
        teams: that it was trained in; None: each seat for itself.
        arrays: float32, by the names of ``board.weights.weight_shapes``.
    """

    player_counts: tuple[int, ...]
    teams: Teams | None
    arrays: dict[str, NDArray[np.float32]]


def weight_shapes(description: PolicyDescription) -> dict[str, tuple[int, ...]]:
    """Of all weights and biases of a policy of this description, in the order in which a file has them."""
    players, width = description.players, description.critic_width
    situation = sum(part.stop - part.start for part in situation_inputs(players, description.observe_rules))
    shapes: dict[str, tuple[int, ...]] = {}
    sizes = num_inputs(players, description.observe_rules), *description.layers
    for number, (before, after) in enumerate(pairwise(sizes)):
        name = hidden_layer(number)
        shapes |= {f"{name}.weight": (after, before), f"{name}.bias": (after,)}
    of_critic = {
        "places": (players, width),
        "seat_layer.weight": (width, NUM_SEAT_FEATURES),
        "seat_layer.bias": (width,),
        "table_layer.weight": (width, width),
        "situation_layer.weight": (width, situation),
        "joint_layer.weight": (width, width),
        "outcome_layer.weight": (len(KINDS), width),
        "outcome_layer.bias": (len(KINDS),),
    }
    shapes |= {f"{CRITIC}.{name}": shape for name, shape in of_critic.items()}
    actions = len(actions_for(players))
    return shapes | {f"{LAST}.weight": (actions, sizes[-1]), f"{LAST}.bias": (actions,)}


def hidden_layer(number: int) -> str:
    """The name of one of the actor's hidden layers, counted from 0; between two of them is a rectifier."""
    return f"{ACTOR}.{2 * number}"


def num_weights(description: PolicyDescription) -> int:
    """How many weights and biases actor and critic have together."""
    return sum(map(prod, weight_shapes(description).values()))


def check_size(description: PolicyDescription) -> None:
    """Refuse layers of too many weights, before anything is built of them.

    Raises:
        ValueError: there would be more than ``MOST_WEIGHTS``.
    """
    if (weights := num_weights(description)) > MOST_WEIGHTS:
        raise ValueError(
            f"layers and critic_width make a network of {weights:,} weights; it must have at most {MOST_WEIGHTS:,}"
        )


def team_shares(teams: Teams) -> NDArray[np.float32]:
    """(P, P) the share of each seat in the team of each; what it is multiplied with becomes the mean of the team."""
    together = (teams.team_of[:, np.newaxis] == teams.team_of).astype(np.float32)
    return together / together.sum(axis=1, keepdims=True)
