"""What a network gets of games on a GPU, as ``ursuppe_agents.policies.inputs`` has it of those of the processor."""

import numpy as np

from ursuppe_agents.policies.board_features import NEXT_TO, NUM_VIEWED, SPACE_AT, part_starts
from ursuppe_agents.policies.inputs import num_inputs, seat_inputs, standardised_rules
from ursuppe_agents.search.value import NOTES, NUM_FEATURES
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.extras import extra
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.on_gpu import bodies

with extra("train"):
    import torch


class InputsOnGpu:
    """Inputs and masks of all of these games, seen by who decides; they are written anew each time.

    Args:
        games: N of them.
        observe_rules: show the ruleset of each game, too.
        memory: of their GPU.

    Attributes:
        inputs: (N, I) float32 tensor.
        masks: (N, A) bool, shared.
        seats: (N,) int8 who decides, shared.
    """

    def __init__(self, games: GamesCuda, observe_rules: bool, memory: Memory) -> None:
        n, players, size = len(games), games.num_players, games.observation_size
        self._games = games
        self._masks = memory.kernels.empty((n, games.num_actions), np.int8)
        self._observations = memory.kernels.empty((n, size), np.float32)
        self._inputs = memory.empty((n, num_inputs(players, observe_rules)), np.float32)
        self.inputs = self._inputs.tensor
        self.masks = memory.viewed(self._masks, np.bool_)
        self.seats = memory.empty((n,), np.int8)
        rules = standardised_rules(games.rulesets) if observe_rules else np.zeros((1, 1), np.float32)
        self._arguments = (
            memory.kernels.from_host(games.rules),
            self._observations,
            memory.kernels.from_host(rules),
            rules.shape[1] if observe_rules else 0,
            players,
            size,
            seat_inputs(players).start,
            memory.kernels.from_host(part_starts(players)),
            memory.kernels.from_host(SPACE_AT),
            memory.kernels.from_host(NEXT_TO),
            memory.kernels.empty((n, NUM_VIEWED), np.int64),
            memory.kernels.empty((n,), NOTES),
            memory.kernels.empty((n, players, NUM_FEATURES), np.float64),
            memory.kernels.empty((n,), np.float64),
            self.seats.array,
            self._inputs.array,
        )

    def look(self) -> torch.Tensor:
        """Write inputs, masks and seats of the games as they stand; returns the inputs."""
        games = self._games
        games.observe(out=self._observations, masks=self._masks)
        games.device.launch(bodies.write_inputs, len(games), games.state, *self._arguments)
        return self.inputs
