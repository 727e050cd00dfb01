"""The layers of a network that sees the board, and their weights as arrays.

A layer's weights are (inputs, outputs), what it adds to its sum (outputs,). Each activation is clipped to 0 ... 1.

1. *Seats*: features of each seat and how far behind the one that decides it sits.
2. *Spaces*: which one it is, its features, and of the seats that stand there, will be there, have food there.
3. *Messages*: each space from itself, its neighbours, where the current goes to and where it comes from.
4. *Amoebas*: features of each, its space after the messages, its seat.
5. *Seats with their amoebas*: from 1, and the sum over 4.
6. *Context*: situation and ruleset, the own seat, mates, opponents, the acting space, all spaces.
7. *Actions*: verb, item, space, gene, target, meal, effects and context; a second layer; a logit.
8. *Outcomes* of each seat, the critic: from 5 and 6; then how likely it wins, its rank and its margin.

A critic may have layers 1 to 6 and 8 of its own, in place of those that it shares with the actor.
"""

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board import inputs
from ursuppe_agents.policies.board.effects import NUM_EFFECTS
from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_env import Ruleset
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.ruleset import MAX_PLAYERS
from ursuppe_env.teams import Teams

#: What the critic predicts of each seat, in order.
KINDS = ("win", "rank", "margin")
WIN = 0

#: What spaces send: to themselves, their neighbours, with the current and against it.
NUM_MESSAGES = 4
#: Whose seats the context sees: the own, those of mates, those of opponents.
NUM_GROUPS = 3

#: Outputs that the processor computes at once.
LANES = 16

#: The layers that a critic has no use for.
_OF_ACTIONS = {"verb", "item", "action_context", "action", "score", "score_bias", "logit"}


@dataclass(frozen=True)
class Widths:
    """Of the layers, multiples of ``LANES``.

    Attributes:
        token: of seats, spaces and amoebas.
        context: of the context.
        action: of the first layer of an action.
        score: of its second one.
        outcome: of the critic's.
    """

    token: int = 32
    context: int = 64
    action: int = 64
    score: int = 32
    outcome: int = 32


Arrays = dict[str, NDArray[np.float32]]
"""By the names of ``weight_shapes``."""


@dataclass(frozen=True)
class Weights:
    """All that is needed to play by a policy, without torch.

    Attributes:
        player_counts: the numbers of players in games that it plays.
        teams: that it was trained in; None: each seat for itself.
        arrays: float32 numbers of all layers.
        critic: those of the layers of a critic of its own; None: it shares the actor's.
    """

    player_counts: tuple[int, ...]
    teams: Teams | None
    arrays: Arrays
    critic: Arrays | None = None


def weight_shapes(widths: Widths) -> dict[str, tuple[int, ...]]:
    """The names and shapes of all weights."""
    token, context, action, score, outcome = astuple(widths)
    num_rules = standardised_rules((Ruleset(),)).shape[1]  # the same for each number of players
    return {
        "seat": (inputs.NUM_SEAT_FEATURES, token),
        "seat_behind": (MAX_PLAYERS, token),
        "space": (len(inputs.SPACE_FEATURES), token),
        "space_bias": (NUM_SPACES, token),
        "space_relations": (token, inputs.NUM_RELATIONS * token),
        "message": (NUM_MESSAGES * token, token),
        "message_bias": (token,),
        "amoeba": (len(inputs.AMOEBA_FEATURES), token),
        "amoeba_bias": (token,),
        "amoeba_space": (token, token),
        "amoeba_seat": (token, token),
        "joint": (2 * token, token),
        "joint_bias": (token,),
        "situation": (inputs.NUM_SITUATION, context),
        "context_bias": (context,),
        "rules": (num_rules, context),
        "context": ((NUM_GROUPS + 2) * token, context),
        "verb": (inputs.NUM_VERBS, action),
        "item": (inputs.NUM_ITEMS, action),
        "action_context": (context, action),
        "action": (3 * token + inputs.NUM_GENE_NUMBERS + NUM_EFFECTS, action),
        "score": (action, score),
        "score_bias": (score,),
        "logit": (score,),
        "outcome_seat": (token, outcome),
        "outcome_context": (context, outcome),
        "outcome_bias": (outcome,),
        "outcome": (len(KINDS), outcome),
        "outcome_last_bias": (len(KINDS),),
    }


def critic_shapes(widths: Widths) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the weights of a critic of its own."""
    return {name: shape for name, shape in weight_shapes(widths).items() if name not in _OF_ACTIONS}


def widths_of(arrays: Arrays) -> Widths:
    """The widths of the layers that have these weights."""
    return Widths(*(arrays[layer].shape[1] for layer in ("seat", "context", "action", "score", "outcome_seat")))


def team_shares(teams: Teams) -> NDArray[np.float32]:
    """(P, P) the share of each seat in the team of each; what it is multiplied with becomes the mean of the team."""
    together = (teams.team_of[:, np.newaxis] == teams.team_of).astype(np.float32)
    return together / together.sum(axis=1, keepdims=True)
