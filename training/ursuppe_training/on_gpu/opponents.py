"""Who plays in the games of a group on a GPU: drawn there when a game begins, and kept to its end."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import make_agent
from ursuppe_agents.scripted.agents import ScriptedAgent
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Array
from ursuppe_env.extras import extra
from ursuppe_env.teams import SCORES
from ursuppe_training.config import OF_THE_RUN
from ursuppe_training.on_gpu import bodies
from ursuppe_training.on_gpu.memory import Memory, Shared
from ursuppe_training.on_gpu.rollout_buffer import Chains
from ursuppe_training.opponents.pool import OpponentPool

with extra("train"):
    import torch


def scripted_among(names: Iterable[str]) -> list[str]:
    """Those of these opponents that are scripted agents, which play on a GPU."""
    return [name for name in names if name not in OF_THE_RUN and isinstance(make_agent(name, 0), ScriptedAgent)]


def on_processor_among(names: Iterable[str]) -> list[str]:
    """Those of these opponents that need the processor."""
    names = list(names)
    scripted = scripted_among(names)
    return [name for name in names if name not in OF_THE_RUN and name not in scripted]


def roles_of(pool: OpponentPool) -> NDArray[np.int64]:
    """(O, NUM_ROLES) what is known of each opponent that may play now, by its number (``on_gpu.bodies``)."""
    scripted, on_processor = scripted_among(pool.names), on_processor_among(pool.names)
    roles = np.zeros((pool.num_opponents, bodies.NUM_ROLES), np.int64)
    for number in range(len(roles)):
        name, frozen = pool.name_of(number), pool.which_frozen(number)
        is_network = number == pool.learner or frozen is not None
        roles[number, bodies.NETWORK] = (0 if frozen is None else 1 + frozen) if is_network else bodies.NONE
        roles[number, bodies.SCRIPT] = scripted.index(name) if name in scripted else bodies.NONE
        roles[number, bodies.ON_PROCESSOR] = name in on_processor
        roles[number, bodies.TEACHES] = name in pool.teachers
        roles[number, bodies.NAME] = pool.number_told(number)
    return roles


class OpponentsOnGpu:
    """The opponents in the games of a group.

    Args:
        num_games: N.
        pool: whose weights, names and networks count.
        memory: of the GPU.

    Attributes:
        acting: (N,) int64 the number of who acts; NONE where a game stands still.
        networks: (N,) int64 which of the networks acts, the learning policy being the first; or NONE.
        scripts: (N, P) int64, in the place of the seat that acts: which of the scripted agents, or NONE.
        goes_on: (N,) bool, whether a game is to go on.
        learns: (N,) bool, whether the learning policy acts.
        teaches: (N,) bool, whether a teacher acts.
        who_plays: (N, P) int64 what the critic is told of who plays in each seat.
        finished: (N,) bool, which games are over.
        roles: (O, NUM_ROLES) in the processor's memory.

    All of these but the last are shared by kernels and torch.
    """

    roles: NDArray[np.int64]

    def __init__(self, num_games: int, pool: OpponentPool, memory: Memory) -> None:
        players = pool.sides.players
        self._pool = pool
        self._memory = memory
        self._keys = memory.filled((num_games,), np.uint64, 0)
        self._seated = memory.filled((num_games, players), np.int64, 0)
        self._outcomes = memory.empty((num_games, players, 3), np.float32)
        self._counted = memory.empty((num_games, bodies.NUM_COUNTS), np.int64)
        self._ones = torch.ones(num_games * bodies.NUM_COUNTS, dtype=torch.int64, device=memory.device)
        self.acting = memory.filled((num_games,), np.int64, bodies.NONE)
        self.networks = memory.filled((num_games,), np.int64, bodies.NONE)
        self.scripts = memory.filled((num_games, players), np.int64, bodies.NONE)
        self.goes_on = memory.filled((num_games,), np.bool_, False)
        self.learns = memory.filled((num_games,), np.bool_, False)
        self.teaches = memory.filled((num_games,), np.bool_, False)
        self.who_plays = memory.filled((num_games, players), np.int64, 0)
        self.finished = memory.filled((num_games,), np.bool_, False)
        self.begin_rollout()

    def begin_rollout(self) -> None:
        """Take the weights, names and networks of the pool as they are now."""
        gpu, draw = self._memory.gpu, self._pool.draw
        sides = gpu.from_host(np.array([draw.whole_tables])), gpu.from_host(draw.side_of), draw.sides
        self._drawn_by = gpu.from_host(draw.borders), *sides, self._pool.learner
        self._ends_by = *sides, SCORES.index(self._pool.sides.score), self._pool.learner
        self.roles = roles_of(self._pool)
        self._roles = gpu.from_host(self.roles)
        room = bodies.NUM_COUNTS * len(self.roles) + 1
        self._wins = torch.zeros(room, dtype=torch.int64, device=self._memory.device)

    def see_who_acts(self, games: GamesCuda, counts: Shared) -> None:
        """Draw the opponents of new games, and see who is about to act.

        Args:
            games: of the group.
            counts: of its buffer.
        """
        written = (
            *(self._keys, self._seated, self.acting, self.networks, self.scripts),
            *(self.goes_on, self.learns, self.teaches, self.who_plays),
        )
        arrays = [shared.array for shared in written]
        games.device.launch(
            bodies.see_who_acts, len(games), games.state, counts.array, *self._drawn_by, self._roles, *arrays
        )

    def end_games(self, games: GamesCuda, rules: Array, chains: Chains) -> None:
        """See which games are over, note what became of their seats, and count who has won.

        Args:
            games: of the group.
            rules: their rulesets, on the GPU.
            chains: of its buffer.
        """
        last, _, is_final, finals = chains
        arrays = [shared.array for shared in (self._seated, last, is_final, finals, self._outcomes)]
        found = self._counted.array, self.finished.array
        games.device.launch(
            *(bodies.end_game, len(games), games.state, rules, *self._ends_by), *arrays, len(self.roles), *found
        )
        self._wins.index_add_(0, self._counted.tensor.flatten(), self._ones)

    def end_rollout(self) -> None:
        """Tell the pool who has won. Waits for the GPU."""
        self._pool.count(self._wins[:-1].view(bodies.NUM_COUNTS, -1).cpu().numpy())

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The games, and who is in their seats, as ``SeatedOpponents`` has them."""
        return {"keys": self._keys.tensor.view(torch.int64).cpu().clone(), "seats": self._seated.tensor.cpu().clone()}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these."""
        if len(saved["keys"]):  # there are none before the first rollout
            self._keys.tensor.view(torch.int64).copy_(saved["keys"])
            self._seated.tensor.copy_(saved["seats"])
