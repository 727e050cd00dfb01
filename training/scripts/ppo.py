"""PPO in self-play in one file: one network plays all seats of many games, and learns from each seat's own decisions.

python training/scripts/ppo.py --steps 10000000 --seed 0 --out runs/ppo.pt
cd training/scripts && ursuppe benchmark run ladder4-v1 ppo:Player:model=../../runs/ppo.pt --out ../../runs/ppo-ladder
"""

import argparse
import os
from pathlib import Path

import numpy as np
import torch
from rich.progress import track
from torch import nn
from torch.distributions import Categorical

from ursuppe_agents import Agent
from ursuppe_env import Games, UrsuppeVector

N, T = 256, 64  # games, and decisions of each game an update
EPOCHS, BATCH, WIDTH = 4, 2048, 256
GAMMA, LAMBDA, CLIP, ENTROPY, LEARNING_RATE = 1.0, 0.95, 0.2, 0.01, 5e-4
torch.set_num_threads(1)  # in a network as small as this one, threads mostly wait for each other


def new_network(inputs, actions):
    """The observation in; the logits of all actions and a value for the player who decides out."""
    hidden = [nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    return nn.Sequential(*hidden, nn.Linear(WIDTH, actions + 1))


def look(network, observations, masks):
    """The distribution over the legal actions, and the value for the player who decides."""
    out = network(torch.as_tensor(observations))
    return Categorical(logits=out[:, :-1].masked_fill(torch.as_tensor(masks) == 0, -1e9)), out[:, -1]


@torch.no_grad()
def collect(env, network, now):
    """Play T decisions in each game: (T, N, ...) what was seen and done, and where the games stand."""
    steps = []
    for _ in range(T):
        seen = now.observations.copy(), now.action_mask.copy(), now.current_player.copy()
        policy, value = look(network, *seen[:2])
        action = policy.sample()
        now = env.step(action.numpy())
        steps.append((*seen, action, policy.log_prob(action), value, now.rewards.copy(), now.terminated.copy()))
    return [np.stack(parts) for parts in zip(*steps, strict=True)], now


@torch.no_grad()
def estimate_advantages(env, network, player, value, rewards, terminated):
    """GAE for each seat: a decision's successor is the same player's next one, regardless of who decides in between."""
    seats = range(env.num_players)
    next_value = np.stack([network(torch.as_tensor(env.games.observe(seat)))[:, -1] for seat in seats], axis=1)
    next_advantage, reward, advantage = np.zeros_like(next_value), np.zeros_like(next_value), np.empty_like(value)
    for t in reversed(range(T)):
        over = terminated[t]
        next_value[over], next_advantage[over], reward[over] = 0, 0, rewards[t, over]
        me = np.arange(N), player[t]
        delta = reward[me] + GAMMA * next_value[me] - value[t]
        advantage[t] = next_advantage[me] = delta + GAMMA * LAMBDA * next_advantage[me]
        next_value[me], reward[me] = value[t], 0
    return advantage


def learn(network, optimizer, seen, mask, action, log_prob, advantage, target):
    """A few passes over what was collected."""
    for batch in (part for _ in range(EPOCHS) for part in torch.randperm(len(seen)).split(BATCH)):
        policy, value = look(network, seen[batch], mask[batch])
        ratio = (policy.log_prob(action[batch]) - log_prob[batch]).exp()
        better = (advantage[batch] - advantage[batch].mean()) / (advantage[batch].std() + 1e-8)
        gain = torch.min(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
        loss = (value - target[batch]).square().mean() / 2 - gain - ENTROPY * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()


def train(steps, seed, out, learn=learn):
    """Train for so many decisions, and write the network."""
    torch.manual_seed(seed)
    env = UrsuppeVector(N, reward="rank")
    network = new_network(env.observation_size, env.num_actions)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    now, updates = env.reset(seed=seed), max(1, steps // (N * T))
    for update in track(range(updates), "updates"):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)
        (seen, mask, player, action, log_prob, value, rewards, terminated), now = collect(env, network, now)
        advantage = estimate_advantages(env, network, player, value, rewards, terminated)
        data = (seen, mask, action, log_prob, advantage, advantage + value)
        learn(network, optimizer, *(torch.as_tensor(part).flatten(0, 1) for part in data))
    save({"inputs": env.observation_size, "actions": env.num_actions, "weights": network.state_dict()}, out)


def save(content, out):
    """Write a file, whole or not at all."""
    unfinished = out.with_suffix(".unfinished")
    torch.save(content, unfinished)
    os.replace(unfinished, out)


def draw(policy, numbers):
    """Actions (n,) of a distribution over them, by random numbers (n,) of 0 ... 1."""
    reached = policy.probs.double().cumsum(dim=1).numpy()
    return (reached > numbers[:, np.newaxis] * reached[:, -1:]).argmax(axis=1)


class Player(Agent):
    """Plays by a network that was written here, for the arena and the benchmark."""

    def __init__(self, generator, *, model: str):
        super().__init__(generator)
        saved = torch.load(model, weights_only=True)
        self.network = new_network(saved["inputs"], saved["actions"])
        self.network.load_state_dict(saved["weights"])

    @torch.inference_mode()
    def act(self, games: Games, rows):
        asked = games.copy(rows)
        policy, _ = look(self.network, asked.observe(), asked.legal())
        return draw(policy, self.uniform(games, rows))


def arguments(description):
    """What the command line asks for: steps, seed and out."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("model.pt"), help="file of what has learned")
    return vars(parser.parse_args())


if __name__ == "__main__":
    train(**arguments(__doc__))
