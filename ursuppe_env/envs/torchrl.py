"""A TorchRL environment of many games and all their seats: for self-play with TorchRL's collectors and losses."""

# mypy: disable-error-code="import-not-found"
# TorchRL is no dependency of this project.

from typing import Any, Unpack

from ursuppe_env.envs.options import EnvironmentOptions
from ursuppe_env.envs.rulesets import RulesetArgument
from ursuppe_env.envs.vector import TimeStep, UrsuppeVector
from ursuppe_env.extras import extra

with extra("torchrl"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase


class UrsuppeTorchEnv(EnvBase):
    """N games as one batched environment; in each step, one decision of one player in each game.

    ======================  ==================  ================================================================
    entry                   shape, dtype
    ======================  ==================  ================================================================
    ``observation``         (N, F) float32      or another ``dtype``; seen by who decides; 0 where a game is over
    ``action_mask``         (N, A) bool         the legal actions; all True where a game is over
    ``current_player``      (N, 1) int64        who decides, 0 ... P-1; -1 where a game is over
    ``action``              (N,) int64          to be given: the action of who decides
    ``reward``              (N, P) float32      of every seat; 0 unless the step ended the game. With teams (N, T)
    ``done, terminated``    (N, 1) bool         is the game over? It is never truncated
    ======================  ==================  ================================================================

    A game that is over must be reset before it is stepped again, as TorchRL's collectors do; the next one follows.
    ``rand_action`` and random rollouts take legal actions.

    Args:
        num_games: N, at least 1.
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        threads: as for ``Games``.
        device: of the tensors; the games themselves are played on the CPU.
        **options: ``EnvironmentOptions``. An argument that is out of its range is a ``ValueError``; so is an illegal
            action in ``step``, which then changes nothing.

    Attributes:
        vector: the ``UrsuppeVector``, whose ``games`` tell everything about the positions; treat it as read-only.
    """

    def __init__(
        self,
        num_games: int,
        ruleset: RulesetArgument = None,
        *,
        threads: int | None = None,
        device: Any = "cpu",
        **options: Unpack[EnvironmentOptions],
    ) -> None:
        self.vector = UrsuppeVector(num_games, ruleset, autoreset=False, threads=threads, **options)
        super().__init__(device=device, batch_size=[num_games])
        n, players, actions = num_games, self.vector.num_players, self.vector.num_actions
        low, high = (torch.tensor(bound).expand(n, -1) for bound in self.vector.observation_bounds())
        self.observation_spec = Composite(
            observation=Bounded(low, high, dtype=low.dtype),
            action_mask=Binary(actions, (n, actions), dtype=torch.bool),
            current_player=Bounded(-1, players - 1, (n, 1), dtype=torch.int64),
            shape=[n],
            device=self.device,
        )
        self.action_spec = Categorical(actions, (n,), dtype=torch.int64, device=self.device)
        sides = players if self.vector.teams is None else len(self.vector.teams)
        self.reward_spec = Unbounded((n, sides), dtype=torch.float32, device=self.device)
        ends = {name: Categorical(2, (n, 1), dtype=torch.bool) for name in ("done", "terminated")}
        self.done_spec = Composite(ends, shape=[n], device=self.device)
        self._seed: int | None = None  # for the next reset; None: go on with the streams

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        mask = None if tensordict is None else tensordict.get("_reset", None)
        rows = None if mask is None or mask.all() else mask.view(-1).cpu().numpy()
        now = self.vector.reset(self._seed, rows, self.vector.buffers())
        self._seed = None
        return self._seen(now)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        now = self.vector.step(tensordict["action"].cpu().numpy(), self.vector.buffers())
        return self._seen(now).update({"reward": torch.from_numpy(now.rewards)})

    def _seen(self, now: TimeStep) -> TensorDictBase:
        """The decisions that the games stand at."""
        over = torch.from_numpy(now.terminated)[:, None]
        seen = TensorDict(
            observation=torch.from_numpy(now.observations),
            action_mask=torch.from_numpy(now.action_mask).bool(),
            current_player=torch.from_numpy(now.current_player)[:, None].long(),
            done=over,
            terminated=over.clone(),
            batch_size=self.batch_size,
            device=self.device,
        )
        self.action_spec.update_mask(seen["action_mask"])
        return seen
