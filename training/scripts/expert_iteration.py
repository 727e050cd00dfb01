"""Expert iteration in self-play: search says what was better than the policy, and the policy learns it.

At some decisions a few actions are tried that the policy would draw. After each of them it plays on in all seats
to the end of the round, in copies of the game with other dice; there the network's value is asked. The policy learns
probabilities that grow with what was found, as in Gumbel MuZero; the value learns from all decisions, as in ppo.py.

python training/scripts/expert_iteration.py --steps 10000000 --seed 0 --out runs/exit.pt
cd training/scripts && ursuppe benchmark run ladder4-v1 ppo:Player:model=../../runs/exit.pt --out ../../runs/exit-ladder
"""

from pathlib import Path

import numpy as np
import ppo
import torch
from ppo import LEARNING_RATE, N, T, arguments, draw, estimate_advantages, look, minibatches, new_network, save
from rich.progress import track
from torch import nn

from ursuppe_env import UrsuppeVector
from ursuppe_env.envs.rewards import final_rewards

SEARCHED, TRIED = 16, 6  # one decision of so many is searched; actions of each
SHARPNESS = 8.0  # what a difference of 1 in value adds to a logit


class Expert:
    """Searches some of the decisions that are met."""

    def __init__(self, network, generator):
        self.network, self.generator = network, generator

    @torch.no_grad()
    def improved(self, games, logits):
        """(n, A) probabilities after a search in each of n games, whose policy has these logits (n, A)."""
        legal = games.legal() > 0
        noisy = np.where(legal, logits + self.generator.gumbel(size=logits.shape), -np.inf)  # draws without repetition
        tried = np.argsort(-noisy, axis=1)[:, :TRIED]
        found = np.take_along_axis(legal, tried, axis=1)
        worth = np.zeros(logits.shape, np.float32)
        game, place = np.nonzero(found)
        outcome = self.after(games, game, tried[game, place])
        mean = np.bincount(game, outcome) / np.bincount(game)  # an action that was not tried counts as the mean
        worth[game, tried[game, place]] = outcome - mean[game]
        return torch.softmax(torch.as_tensor(np.where(legal, logits, -1e9) + SHARPNESS * worth), dim=1)

    def after(self, games, game, actions):
        """(m,) what the player who decides in each of these games may expect after each of these actions."""
        player, began = games.player[game], games.rounds[game]
        copies = games.copy(reseed=int(self.generator.integers(2**63))).copy(game)  # the same dice after each action
        copies.step(actions)
        while len(rows := np.flatnonzero((copies.rounds == began) & ~copies.finished)):
            asked = copies.copy(rows)
            policy, _ = look(self.network, asked.observe(), asked.legal())
            copies.step(draw(policy, self.generator.random(len(games))[game[rows]]), rows)
        value = self.network(torch.as_tensor(copies.observe(player)))[:, -1].numpy()
        rewards = final_rewards("rank", copies.markers, copies.rulesets[0])
        return np.where(copies.finished, rewards[np.arange(len(game)), player], value)


@torch.no_grad()
def collect(env, network, expert, now):
    """T decisions of each game as in ppo.py, with what search found at some of them: which ones, and probabilities."""
    steps, searched, improved = [], [], []
    for t in range(T):
        seen = [torch.as_tensor(part).clone() for part in (now.observations, now.action_mask, now.current_player)]
        policy, value = look(network, *seen[:2])
        rows = np.flatnonzero((now.action_mask.sum(axis=1) > 1) & (expert.generator.random(N) < 1 / SEARCHED))
        if len(rows):
            searched.append(t * N + rows)
            improved.append(expert.improved(env.games.copy(rows), policy.logits[rows].numpy()))
        now = env.step(policy.sample().numpy())
        steps.append((*seen, value, torch.tensor(now.rewards), torch.tensor(now.terminated)))
    data = [torch.stack(parts) for parts in zip(*steps, strict=True)]
    return data, torch.as_tensor(np.concatenate(searched)), torch.cat(improved), now


def learn(network, optimizer, seen, mask, target, searched, improved):
    """A few passes: the value from all decisions, the policy from those that were searched."""
    number = torch.full((len(seen),), -1)
    number[searched] = torch.arange(len(searched))
    for batch in minibatches(seen):
        policy, value = look(network, seen[batch], mask[batch])
        taught = number[batch] >= 0
        cross_entropy = -(improved[number[batch][taught]] * policy.logits[taught]).sum(dim=1).mean()
        loss = (value - target[batch]).square().mean() / 2 + cross_entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()


def train(steps, seed, out):
    """Train for so many decisions, and write the network."""
    torch.manual_seed(seed)
    env = UrsuppeVector(N, reward="rank")
    network = new_network(env.observation_size, env.num_actions)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    settings = (Path(__file__).read_text(), steps, seed)
    begun = 0, Expert(network, np.random.default_rng(seed)), optimizer, env, env.reset(seed=seed)
    done, expert, optimizer, env, now = ppo.read_checkpoint(out, settings) or begun
    network, updates = expert.network, max(1, steps // (N * T))
    for update in track(range(done, updates), "updates"):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)
        (seen, mask, player, value, rewards, terminated), searched, improved, now = collect(env, network, expert, now)
        target = estimate_advantages(env, network, player, value, rewards, terminated) + value
        learn(network, optimizer, *(part.flatten(0, 1) for part in (seen, mask, target)), searched, improved)
        if (update + 1) % ppo.CHECKPOINT_EVERY == 0:
            ppo.write_checkpoint(out, settings, (update + 1, expert, optimizer, env, now))
    save({"inputs": env.observation_size, "actions": env.num_actions, "weights": network.state_dict()}, out)


if __name__ == "__main__":
    train(**arguments(__doc__))
