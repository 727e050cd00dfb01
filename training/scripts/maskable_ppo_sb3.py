"""MaskablePPO of sb3-contrib in self-play: one learner at each table, against a pool of its own snapshots.

python training/scripts/maskable_ppo_sb3.py --steps 10000000 --seed 0 --out runs/maskable.zip
ursuppe benchmark run ladder4-v1 sb3:runs/maskable.zip --out runs/maskable-ladder
"""

import argparse
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from ursuppe_env.envs.sb3 import UrsuppeVecEnv

N, T = 1024, 8  # games, and decisions of the learner in each an update
SNAPSHOT_EVERY, SNAPSHOTS = 8, 10  # updates; the most that are kept


class Pool:
    """Plays all other seats; in each game all of them by the same snapshot, until another one enters the pool."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.snapshots = []

    @torch.inference_mode()
    def __call__(self, games, rows):
        asked = games.copy(rows)
        observations, logits = torch.as_tensor(asked.observe()), torch.zeros(len(rows), games.num_actions)
        which = torch.as_tensor(games.state["index"][rows] % max(1, len(self.snapshots)))  # none: all are as likely
        for number, snapshot in enumerate(self.snapshots):
            mine = which == number
            logits[mine] = snapshot(observations[mine])
        logits[torch.as_tensor(asked.legal()) == 0] = -torch.inf
        reached = logits.double().softmax(dim=1).cumsum(dim=1).numpy()
        return (reached > self.generator.random((len(rows), 1)) * reached[:, -1:]).argmax(axis=1)


class Snapshots(BaseCallback):
    """Puts the policy as it is into the pool every few updates; an old one leaves at random."""

    def __init__(self, pool):
        super().__init__()
        self.pool, self.updates = pool, 0

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        if self.updates % SNAPSHOT_EVERY == 0:
            policy = self.model.policy
            if len(self.pool.snapshots) == SNAPSHOTS:
                self.pool.snapshots.pop(int(self.pool.generator.integers(SNAPSHOTS)))
            self.pool.snapshots.append(deepcopy(nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)))
        self.updates += 1


def train(steps, seed, out):
    """Train for so many decisions of the learner, and write the model."""
    torch.set_num_threads(1)
    pool = Pool(seed)
    env = UrsuppeVecEnv(N, seed=seed, opponent=pool, reward="rank")
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=T,
        batch_size=2048,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        learning_rate=lambda left: 5e-4 * left,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    model.learn(steps, callback=Snapshots(pool), progress_bar=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = out.with_suffix(".unfinished.zip")
    model.save(unfinished)
    unfinished.replace(out)  # whole, or not at all


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("maskable.zip"), help="file of the model")
    train(**vars(parser.parse_args()))
