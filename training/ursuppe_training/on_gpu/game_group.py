"""A part of a run's games, on a GPU: steps of ``ursuppe_training.ppo.game_group`` in two halves.

The first half goes as far as the answers of agents that need the processor; while they think, the GPU plays another
group. Steps that were asked for when the rollout had all its decisions already change nothing.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.scripted.on_gpu import ScriptedSeats
from ursuppe_env import Games
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.on_gpu import bodies
from ursuppe_training.on_gpu.agents_on_processor import AgentsOnProcessor
from ursuppe_training.on_gpu.frozen_policies import FrozenPolicies
from ursuppe_training.on_gpu.inputs import InputsOnGpu
from ursuppe_training.on_gpu.memory import Memory, ReadLate
from ursuppe_training.on_gpu.opponents import OpponentsOnGpu, on_processor_among, scripted_among
from ursuppe_training.on_gpu.rollout_buffer import SeatRolloutBufferOnGpu
from ursuppe_training.on_gpu.taught_decisions import TaughtDecisionsOnGpu
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.saved_games import as_games, as_tensor

_STEPS_AHEAD = 4  # of what the GPU has done: enough for it never to wait


class GameGroupOnGpu:
    """Games in which the policy and its opponents decide, one decision a game at a time.

    Args:
        number: of the group among all.
        games: its games, from which it begins.
        rulesets: where those of the next games come from.
        observe_rules: networks see the ruleset of each game, too.
        pool: of opponents.
        parts: of these games, (n,) rows, each with agents of its own that need the processor, by the pool's numbers.
        buffer: of the policy's decisions.
        taught: of the teachers' decisions.
        memory: of the GPU.

    Attributes:
        number: of the group.
        games: its games.
        learned: decisions of this rollout that are learned from, as far as is known.
        is_full: whether the rollout is known to have all its new decisions.
    """

    games: GamesCuda

    def __init__(
        self,
        number: int,
        games: Games,
        rulesets: RulesetSource,
        observe_rules: bool,
        pool: OpponentPool,
        parts: Mapping[int, NDArray[np.int64]],
        buffer: SeatRolloutBufferOnGpu,
        taught: TaughtDecisionsOnGpu,
        memory: Memory,
    ) -> None:
        self.number = number
        self._rulesets = rulesets
        self._observe_rules = observe_rules
        self._pool = pool
        self._parts = parts
        self._buffer = buffer
        self._taught = taught
        self._memory = memory
        self._counts = ReadLate(buffer.counts.tensor, _STEPS_AHEAD)
        self._hold(games)

    def _hold(self, games: Games) -> None:
        """Play copies of these games, and make all that belongs to them."""
        memory, n, pool = self._memory, len(games), self._pool
        self.games = GamesCuda.from_games(games, memory.gpu)
        self._inputs = InputsOnGpu(self.games, self._observe_rules, memory)
        self._opponents = OpponentsOnGpu(n, pool, memory)
        self._actions = memory.filled((n,), np.int64, 0)
        self._log_probs = memory.filled((n,), np.float32, 0)
        self._uniforms = memory.empty((n,), np.float32)
        self._legal = memory.empty((n, games.num_actions), np.int64)
        self._work = memory.empty((n, games.num_actions), np.float32)
        self._played = memory.filled((n,), np.int64, 0)
        self._rules = memory.gpu.from_host(games.rules)
        names = scripted_among(pool.names)
        self._scripted = ScriptedSeats(self.games, names, self._opponents.scripts.array) if names else None
        self._agents: AgentsOnProcessor | None = None

    def begin_rollout(self, policies: FrozenPolicies, seed: Sequence[int], is_taught: bool, workers: Executor) -> None:
        """Set what steps need.

        Args:
            policies: the one that learns, and snapshots.
            seed: of what they draw, with the group's number.
            is_taught: note what teachers decide.
            workers: threads that ask agents.
        """
        self._policies = policies
        self._latents = self._memory.empty((len(self.games), policies.weights.tensor.shape[2]), np.float32)
        drawn = np.random.SeedSequence([*seed, self.number]).generate_state(1, np.uint64)
        self._key = int(drawn[0] >> np.uint64(1))
        self._is_taught = is_taught
        self._step = self.learned = 0
        self.is_full = False
        self._counts.forget()
        self._buffer.reset()
        self._taught.reset()
        self._opponents.begin_rollout()
        if self._agents is None and on_processor_among(self._pool.names):
            acting = self._opponents.acting.tensor
            self._agents = AgentsOnProcessor(self.games, acting, self._pool, self._parts, workers, self._memory)

    def begin_step(self) -> None:
        """Let all policies and scripted agents choose who are about to act, and note the decisions to learn from."""
        games, opponents, gpu = self.games, self._opponents, self._memory.gpu
        policies = self._policies
        self._seen = self._inputs.look().to(policies.precision)
        opponents.see_who_acts(games, self._buffer.counts)
        self._latents.tensor.copy_(policies.latents(self._seen, opponents.networks.tensor))
        read = (opponents.networks, self._latents, policies.weights, policies.biases, self._inputs.masks)
        written = (self._uniforms, self._legal, self._work, self._actions, self._log_probs)
        arrays = [shared.array for shared in (*read, *written)]
        gpu.launch(bodies.choose_actions, len(games), self._key, self._step, *arrays)
        decisions = Decisions(
            self._seen,
            self._inputs.masks.tensor,
            self._actions.tensor,
            self._log_probs.tensor,
            opponents.who_plays.tensor,
        )
        self._buffer.add(opponents.learns.tensor, self._inputs.seats, decisions)
        if self._scripted is not None:
            self._scripted.act(out=self._actions.array)
        if self._agents is not None:
            self._agents.ask()

    def end_step(self) -> None:
        """Let the agents choose that need the processor, step all games, and begin the next ones."""
        games, opponents, gpu = self.games, self._opponents, self._memory.gpu
        actions = self._actions.tensor
        if self._agents is not None:
            self._agents.answer(actions, opponents.roles)
        if self._is_taught:
            self._taught.add(opponents.teaches.tensor, self._seen, self._inputs.masks.tensor, actions)
        games.step(self._actions.array, wait=False, mask=opponents.goes_on.array)
        opponents.end_games(games, self._rules, self._buffer.chains)
        played = None
        if self._rulesets.varies:
            played = self._played.array
            gpu.launch(bodies.draw_ruleset, len(games), games.state, len(games.rulesets), played)
        games.reset(mask=opponents.finished.array, ruleset_index=played)
        self._step += 1
        counts = self._counts.note()
        if counts is not None:
            self._take(counts)

    def _take(self, counts: NDArray[np.int64]) -> None:
        self.learned = self._buffer.learned(counts)
        self.is_full = bool(counts[bodies.USED] >= counts[bodies.FULL])

    def end_rollout(self) -> None:
        """Tell the pool who has won, and see what was learned from. Waits for the GPU.

        Raises:
            ValueError: somebody has chosen an illegal action.
            RuntimeError: a game is stuck.
        """
        self.games.synchronize()
        self._take(self._buffer.counts.tensor.cpu().numpy())
        self._opponents.end_rollout()
        self._taught.end_rollout()

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, Any]:
        """Where the games stand and against whom, and the decisions that have no successor yet."""
        return {
            "states": as_tensor(self.games.to_games()),
            "opponents": self._opponents.state_dict(),
            "waiting": self._buffer.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self._hold(as_games(saved["states"], self._rulesets.rulesets, threads=1))
        self._opponents.load_state_dict(saved["opponents"])
        self._buffer.load_state_dict(saved["waiting"])
