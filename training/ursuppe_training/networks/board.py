"""The network that sees the board (``ursuppe_agents.policies.board``) in torch, while it learns.

It computes what ``forward.py`` there does, to rounding: a test compares them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.forward import AMOEBAS_OF_SEAT, SPACES
from ursuppe_agents.policies.board.inputs import NUM_RELATIONS, BoardInputs, board_inputs
from ursuppe_agents.policies.board.weights import NUM_GROUPS, Arrays, Weights, Widths, team_shares, weight_shapes
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.board import NEXT_TO, NUM_SPACES, Direction
from ursuppe_env.rules.state import STATE
from ursuppe_env.teams import Teams

with extra("train"):
    import torch
    from torch import nn

#: Matrices that begin as 0: all seats are as likely to win, rulesets change nothing. Vectors begin so, too: of them
#: ``logit`` makes all actions as likely.
_BEGIN_AS_ZERO = ("outcome", "rules")
#: What is looked up: a verb, an item, a space, a place at the table; and the standard deviation of its first numbers.
_TABLES, _SIZE_OF_TABLES = ("verb", "item", "space_bias", "seat_behind"), 0.05


class BoardTensors(NamedTuple):
    """``BoardInputs`` as tensors, ``row`` (M,) the position of each action, and what rulesets say, (B, R)."""

    inputs: dict[str, torch.Tensor]
    row: torch.Tensor
    rules: torch.Tensor


def board_tensors(inputs: BoardInputs, rules: NDArray[np.float32], device: torch.device | str = "cpu") -> BoardTensors:
    """The tensors, which share the arrays' memory on the processor; ``rules`` are ``standardised_rules``."""
    tensors = {name: torch.from_numpy(array).to(device) for name, array in inputs._asdict().items()}
    row = torch.repeat_interleave(tensors["first"].diff())
    return BoardTensors(tensors, row, torch.from_numpy(rules).to(device))


def seen_in(
    states: NDArray[np.uint8], rulesets: Sequence[Ruleset], teams: Teams | None, actions_too: bool = True
) -> tuple[BoardInputs, NDArray[np.int64]]:
    """What is seen in games in these states, (n, size of a state), and the numbers of the rulesets that these have."""
    games = states.copy().view(STATE)[:, 0]
    used, games["ruleset"] = np.unique(games["ruleset"], return_inverse=True)
    return board_inputs(
        trusted_games(games, [rulesets[number] for number in used] or rulesets[:1], threads=1), teams, actions_too
    ), used


class BoardPolicy(nn.Module):
    """Actor and critic with one body.

    Args:
        widths: of the layers.
        player_counts: the numbers of players in games that it plays.
        teams: who plays together; None: each seat for itself.
        generator: of the weights to begin with; None: all are 0, until it ``take``s some.

    Attributes:
        teams: as given.
        layers: the weights by their names (``weight_shapes``).
    """

    _shares: torch.Tensor | None  # (P, P) of each seat in the team of each
    _arrives: torch.Tensor  # (5, 19, 19) whether a step in a direction from a space, the last one, ends in another
    _beside: torch.Tensor  # (19, 19) which spaces are neighbours

    def __init__(
        self,
        widths: Widths,
        player_counts: tuple[int, ...] = (4,),
        teams: Teams | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.teams = teams
        self._widths = widths
        self._player_counts = player_counts
        shares = None if teams is None else torch.from_numpy(team_shares(teams))
        self.register_buffer("_shares", shares, persistent=False)
        self.layers = nn.ParameterDict()
        for name, shape in weight_shapes(widths).items():
            parameter = torch.zeros(shape)
            if generator is not None and name in _TABLES:
                parameter.normal_(0, _SIZE_OF_TABLES, generator=generator)
            elif generator is not None and len(shape) == 2 and name not in _BEGIN_AS_ZERO:
                parameter.normal_(0, shape[0] ** -0.5, generator=generator)
            self.layers[name] = nn.Parameter(parameter)
        ways = NEXT_TO[:NUM_SPACES]
        arrives = (ways.T[:, np.newaxis] == np.arange(NUM_SPACES)[:, np.newaxis]).astype(np.float32)
        beside = arrives[: Direction.STAY].sum(axis=0) * (1 - np.eye(NUM_SPACES, dtype=np.float32))
        self.register_buffer("_arrives", torch.from_numpy(arrives), persistent=False)
        self.register_buffer("_beside", torch.from_numpy(beside), persistent=False)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.layers["seat"].device

    def weights(self) -> Weights:
        """A copy of the weights as they are now."""
        arrays = {name: parameter.detach().cpu().numpy().copy() for name, parameter in self.layers.items()}
        return Weights(self._player_counts, self.teams, arrays)

    def take(self, arrays: Arrays) -> None:
        """Replace the weights by these, by their names."""
        for name, parameter in self.layers.items():
            parameter.data.copy_(torch.from_numpy(arrays[name]))

    def forward(self, tensors: BoardTensors) -> tuple[torch.Tensor, torch.Tensor]:
        """(M,) logits of all legal actions, and (n, P, 3) scores of the seats from the one on that decides."""
        answered, joint, context = self._seen(tensors)
        return self._logits(tensors, answered, joint, context), self._scores(joint, context, tensors.inputs)

    def scores(self, tensors: BoardTensors) -> torch.Tensor:
        """The critic's alone."""
        _, joint, context = self._seen(tensors)
        return self._scores(joint, context, tensors.inputs)

    def _seen(self, tensors: BoardTensors) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What both share: (n, 20, width) spaces after messages, (n, P, width) seats, (n, context)."""
        given = tensors.inputs
        width = self._widths.token
        positions = len(given["current"])
        players = given["seats"].shape[1]

        seats = _clipped(given["seats"] @ self.layers["seat"] + self.layers["seat_behind"][:players])
        sent = (seats @ self.layers["space_relations"]).view(positions, players * NUM_RELATIONS, width)
        spaces = _clipped(
            given["spaces"] @ self.layers["space"]
            + self.layers["space_bias"]
            + given["relations"].flatten(start_dim=2) @ sent
        )
        arrives = self._arrives[given["current"]]
        messages = [spaces, self._beside @ spaces, arrives.transpose(1, 2) @ spaces, arrives @ spaces]
        answered = _clipped(torch.cat(messages, dim=2) @ self.layers["message"] + self.layers["message_bias"])
        answered = torch.cat([answered, answered.new_zeros(positions, 1, width)], dim=1)

        where = given["amoeba_space"].flatten(start_dim=1)
        at = _taken(answered, where).view(*given["amoeba_space"].shape, width)
        owners = (seats @ self.layers["amoeba_seat"] + self.layers["amoeba_bias"])[:, :, None]
        amoebas = _clipped(given["amoebas"] @ self.layers["amoeba"] + at @ self.layers["amoeba_space"] + owners)
        on_board = (given["amoeba_space"] < NUM_SPACES)[..., None]
        together = (amoebas * on_board).sum(dim=2) * float(AMOEBAS_OF_SEAT)
        joint = _clipped(torch.cat([seats, together], dim=2) @ self.layers["joint"] + self.layers["joint_bias"])

        groups = nn.functional.one_hot(given["relation_of_seat"], NUM_GROUPS).to(joint.dtype)
        of_groups = (groups.transpose(1, 2) @ joint).flatten(start_dim=1)
        acting = _taken(answered, given["acting_space"][:, None])[:, 0]
        seen = torch.cat([of_groups, acting, spaces.sum(dim=1) * float(SPACES)], dim=1)
        of_rules = tensors.rules @ self.layers["rules"] + self.layers["context_bias"]
        context = _clipped(
            given["situation"] @ self.layers["situation"] + seen @ self.layers["context"] + of_rules[given["ruleset"]]
        )
        return answered, joint, context

    def _logits(
        self, tensors: BoardTensors, answered: torch.Tensor, joint: torch.Tensor, context: torch.Tensor
    ) -> torch.Tensor:
        given, row = tensors.inputs, tensors.row
        at = answered.flatten(end_dim=1)[row * answered.shape[1] + given["space"]]
        of_seats = torch.stack([given["targets"], given["meal"]], dim=1) @ joint[row]
        about = torch.cat([at, of_seats.flatten(start_dim=1), given["gene_numbers"], given["effects"]], dim=1)
        action = _clipped(
            about @ self.layers["action"]
            + (context @ self.layers["action_context"])[row]
            + self.layers["verb"][given["verb"]]
            + self.layers["item"][given["item"]]
        )
        return _clipped(action @ self.layers["score"] + self.layers["score_bias"]) @ self.layers["logit"]

    def _scores(self, joint: torch.Tensor, context: torch.Tensor, given: dict[str, torch.Tensor]) -> torch.Tensor:
        of_context = (context @ self.layers["outcome_context"] + self.layers["outcome_bias"])[:, None]
        outcome = _clipped(joint @ self.layers["outcome_seat"] + of_context)
        scores = outcome @ self.layers["outcome"].T + self.layers["outcome_last_bias"]
        if self._shares is None:
            return scores
        seats = (given["player"][:, None] + torch.arange(joint.shape[1], device=joint.device)) % joint.shape[1]
        return self._shares[seats[:, :, None], seats[:, None]] @ scores


def log_probs_of_each(logits: torch.Tensor, tensors: BoardTensors) -> torch.Tensor:
    """(M,) log-probabilities of actions within their positions."""
    positions = len(tensors.inputs["current"])
    most = logits.new_full((positions,), -torch.inf).scatter_reduce(0, tensors.row, logits.detach(), "amax")
    shifted = logits - most[tensors.row]
    total = logits.new_zeros(positions).index_add(0, tensors.row, shifted.exp())
    return shifted - total.log()[tensors.row]


def _clipped(sums: torch.Tensor) -> torch.Tensor:
    return sums.clamp(0.0, 1.0)


def _taken(spaces: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
    """(n, k, width) the spaces (n, k) of (n, 20, width)."""
    return spaces.gather(1, which[:, :, None].expand(-1, -1, spaces.shape[2]))
