"""Games on a GPU, beside the networks.

Every policy looks at every game, so that nobody waits until it is known who acts where, and scripted agents are
kernels, too. All others get copies of the games.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.scripted.on_gpu import ScriptedSeats
from ursuppe_env import Games
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Array
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.on_gpu import bodies
from ursuppe_training.on_gpu.agents import AgentsOnProcessor
from ursuppe_training.on_gpu.frozen_policies import FrozenPolicies
from ursuppe_training.on_gpu.inputs import InputsOnGpu
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.opponents.seated import SeatedOpponents
from ursuppe_training.ppo.behaviour_cloning import Demonstrations
from ursuppe_training.ppo.buffer import SeatDecisions
from ursuppe_training.ppo.dense_playing import DenseDecisions

_STEPS_AHEAD = 4  # of what the GPU has done: enough for it never to wait


class GpuBackend:
    """A ``ppo.backend.Backend``, whose docstrings hold here.

    Args:
        observe_rules: networks see the ruleset of each game, too.
        varies: each game is played with a ruleset that is drawn for it.
        pool: of opponents.
        parts: of the games, (n,) rows, each with agents of its own that need the processor, by the pool's numbers.
        workers: threads that ask agents.
        memory: of the GPU.

    Attributes:
        games: as they stand.
    """

    games: GamesCuda
    steps_ahead = _STEPS_AHEAD

    def __init__(
        self,
        observe_rules: bool,
        varies: bool,
        pool: OpponentPool,
        parts: Mapping[int, NDArray[np.int64]],
        workers: Executor,
        memory: Memory,
    ) -> None:
        self.memory = memory
        self._observe_rules = observe_rules
        self._varies = varies
        self._pool = pool
        self._parts = parts
        self._workers = workers

    def __len__(self) -> int:
        return len(self.games)

    @property
    def states(self) -> Array:
        return self.games.state

    @property
    def rules(self) -> Array:
        return self._rules

    def hold(self, games: Games, seated: SeatedOpponents) -> None:
        memory, n, pool = self.memory, len(games), self._pool
        self.games = GamesCuda.from_games(games, memory.kernels)
        self._seated = seated
        self._inputs = InputsOnGpu(self.games, self._observe_rules, memory)
        self._rows = memory.holding(np.arange(n))
        self._actions = memory.filled((n,), np.int64, 0)
        self._log_probs = memory.filled((n,), np.float32, 0)
        self._uniforms = memory.empty((n,), np.float32)
        self._legal = memory.empty((n, games.num_actions), np.int64)
        self._work = memory.empty((n, games.num_actions), np.float32)
        self._played = memory.filled((n,), np.int64, 0)
        self._rules = memory.kernels.from_host(games.rules)
        self._scripted = ScriptedSeats(self.games, pool.scripted, seated.scripts.array) if pool.scripted else None
        self._agents: AgentsOnProcessor | None = None
        if pool.on_processor:
            acting = seated.acting.tensor
            self._agents = AgentsOnProcessor(self.games, acting, pool, self._parts, self._workers, memory)

    def begin_rollout(self, policies: FrozenPolicies, seed: Sequence[int]) -> None:
        self._policies = policies
        self._latents = self.memory.empty((len(self), policies.weights.tensor.shape[2]), np.float32)
        drawn = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        self._key = int(drawn[0] >> np.uint64(1))
        self._step = 0

    def choose(self) -> SeatDecisions:
        policies, seated = self._policies, self._seated
        self._seen = self._inputs.look().to(policies.precision)
        self._latents.tensor.copy_(policies.latents(self._seen, seated.networks.tensor))
        read = (seated.networks, self._latents, policies.weights, policies.biases, self._inputs.masks)
        written = (self._uniforms, self._legal, self._work, self._actions, self._log_probs)
        arrays = [shared.array for shared in (*read, *written)]
        self.memory.kernels.launch(bodies.choose_actions, len(self), self._key, self._step, *arrays)
        decisions = DenseDecisions(
            self._actions.tensor,
            self._log_probs.tensor,
            seated.learns.tensor,
            self._seen,
            self._inputs.masks.tensor,
            seated.who_plays.tensor,
        )
        if self._scripted is not None:
            self._scripted.act(out=self._actions.array)
        if self._agents is not None:
            self._agents.ask()
        return SeatDecisions(seated.learns.tensor, self._rows.array, self._inputs.seats.array, decisions)

    def answer(self) -> None:
        if self._agents is not None:
            self._agents.answer(self._actions.tensor, self._seated.roles)

    def demonstrated(self) -> Demonstrations:
        seen = {"inputs": self._seen, "action_masks": self._inputs.masks.tensor}
        return Demonstrations(self._seated.teaches.tensor, seen, self._actions.tensor)

    def step(self) -> None:
        self.games.step(self._actions.array, wait=False, mask=self._seated.goes_on.array)

    def begin_games(self) -> None:
        played = None
        if self._varies:
            played = self._played.array
            self.memory.kernels.launch(bodies.draw_ruleset, len(self), self.states, len(self.games.rulesets), played)
        self.games.reset(mask=self._seated.finished.array, ruleset_index=played)
        self._step += 1

    def finish(self) -> None:
        self.games.synchronize()

    def to_games(self) -> Games:
        return self.games.to_games()
