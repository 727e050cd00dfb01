"""PPO in self-play in one file: one network plays all seats of many games, and learns from each seat's own decisions.

python training/scripts/ppo.py --steps 10000000 --seed 0 --out runs/ppo.pt
python training/scripts/ppo.py --steps 100000000 --device cuda --out runs/ppo.pt  # the games on a GPU, too: docs/gpu.md
python training/scripts/ppo.py --rulesets runs/rulesets.json --out runs/ppo.pt  # ursuppe benchmark rulesets writes it
cd training/scripts && ursuppe benchmark run ladder4-v1 ppo:Player:model=../../runs/ppo.pt --out ../../runs/ppo-ladder
"""

import argparse
import json
import os
from pathlib import Path

import torch
from rich.progress import track
from torch import nn
from torch.distributions import Categorical

from ursuppe_agents import Agent
from ursuppe_env import Games, Ruleset, UrsuppeVector
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.envs.vector import TimeStep
from ursuppe_env.observation import observation_size

N, T = 256, 64  # games, and decisions of each game an update
EPOCHS, BATCH, WIDTH = 4, 2048, 256
GAMMA, LAMBDA, CLIP, ENTROPY, LEARNING_RATE = 1.0, 0.95, 0.2, 0.01, 5e-4
N_ON_GPU, BATCH_ON_GPU, LEARNING_RATE_ON_GPU = 16_384, 32_768, 1e-3
CHECKPOINT_EVERY = 50  # updates
torch.set_num_threads(1)  # in a network as small as this one, threads mostly wait for each other


class OnGpu:
    """What ``UrsuppeVector`` does, in tensors on a GPU."""

    def __init__(self, num_games, gpu=None, device="cuda"):
        self.games, self.device = GamesCuda(num_games, device=gpu), device
        self.num_players, self.num_actions = self.games.num_players, self.games.num_actions
        self.observation_size = observation_size(self.num_players, False)
        self.seen, self.masks = self.games.observe(), self.games.legal()  # to be written into

    def reset(self, seed):
        self.games.reset(seed=seed)
        return self.ask()

    def step(self, action):
        self.games.step(action)
        return self.ask()

    def ask(self):
        over, markers = self.tensor(self.games.finished), self.tensor(self.games.markers)
        ahead = (markers[:, None] > markers[:, :, None]).sum(dim=2)  # of each player: how many others
        rewards = over[:, None] * (1 - 2 * ahead / (self.num_players - 1))
        self.games.reset(mask=over)
        self.games.observe(out=self.seen, masks=self.masks)
        return TimeStep(*map(self.tensor, (self.seen, self.masks, self.games.player)), rewards, over)

    def tensor(self, array):
        return torch.as_tensor(array, device=self.device)


def new_network(inputs, actions):
    """The observation in; the logits of all actions and a value for the player who decides out."""
    hidden = [nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    return nn.Sequential(*hidden, nn.Linear(WIDTH, actions + 1))


def observe(network, games, seat=None):
    """What the network is shown: the ruleset of each game, too, if it learned so."""
    return games.observe(seat, rules=network[0].in_features == games.observation_size_with_rules)


def look(network, observations, masks):
    """The distribution over the legal actions, and the value for the player who decides."""
    out = network(torch.as_tensor(observations))
    logits = out[:, :-1].masked_fill(torch.as_tensor(masks) == 0, -1e9)
    return Categorical(logits=logits, validate_args=False), out[:, -1]


@torch.no_grad()
def collect(env, network, now):
    """Play T decisions in each game: (T, N, ...) what was seen and done, and where the games stand."""
    steps = []
    for _ in range(T):
        seen = [torch.as_tensor(part).clone() for part in (now.observations, now.action_mask, now.current_player)]
        policy, value = look(network, *seen[:2])
        action = policy.sample()
        now = env.step(action)
        results = [torch.as_tensor(part).clone() for part in (now.rewards, now.terminated)]
        steps.append((*seen, action, policy.log_prob(action), value, *results))
    return [torch.stack(parts) for parts in zip(*steps, strict=True)], now


@torch.no_grad()
def estimate_advantages(env, network, player, value, rewards, terminated):
    """GAE for each seat: a decision's successor is the same player's next one, regardless of who decides in between."""
    seats = [torch.as_tensor(observe(network, env.games, seat), device=value.device) for seat in range(env.num_players)]
    next_value = torch.stack([network(seen)[:, -1] for seen in seats], dim=1)
    next_advantage, reward, advantage = torch.zeros_like(next_value), torch.zeros_like(next_value), value.clone()
    rows = torch.arange(value.shape[1], device=value.device)
    for t in reversed(range(len(value))):
        over = terminated[t, :, None]
        next_value, next_advantage = next_value.masked_fill(over, 0), next_advantage.masked_fill(over, 0)
        reward = torch.where(over, rewards[t], reward)
        me = rows, player[t].long()
        delta = reward[me] + GAMMA * next_value[me] - value[t]
        advantage[t] = next_advantage[me] = delta + GAMMA * LAMBDA * next_advantage[me]
        next_value[me], reward[me] = value[t], torch.zeros_like(value[t])
    return advantage


def minibatches(seen):
    """Which decisions each gradient is of: a few passes over what was collected."""
    for _ in range(EPOCHS):
        yield from torch.randperm(len(seen), device=seen.device).split(BATCH_ON_GPU if seen.is_cuda else BATCH)


def learn(network, optimizer, seen, mask, action, log_prob, advantage, target):
    """Update the network by what was collected."""
    for batch in minibatches(seen):
        policy, value = look(network, seen[batch], mask[batch])
        ratio = (policy.log_prob(action[batch]) - log_prob[batch]).exp()
        better = (advantage[batch] - advantage[batch].mean()) / (advantage[batch].std() + 1e-8)
        gain = torch.min(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
        loss = (value - target[batch]).square().mean() / 2 - gain - ENTROPY * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()


def train(steps, seed, out, device="cpu", rulesets=None, blind=False, learn=learn):
    """Train for so many decisions, and write the network."""
    torch.manual_seed(seed)
    if device == "cpu":
        listed = rulesets and [Ruleset.from_changes(**one) for one in json.loads(rulesets.read_text())["train"]]
        env = UrsuppeVector(N, listed, observe_rules=bool(listed) and not blind, reward="rank")
        learning_rate = LEARNING_RATE
    else:
        env, learning_rate = OnGpu(N_ON_GPU), LEARNING_RATE_ON_GPU
    network = new_network(env.observation_size, env.num_actions).to(device)
    optimizer = torch.optim.Adam(network.parameters(), learning_rate)
    settings = (Path(learn.__code__.co_filename).read_text(), steps, seed, device, rulesets, blind)
    begun = 0, network, optimizer, env, env.reset(seed=seed)
    done, network, optimizer, env, now = read_checkpoint(out, settings) or begun
    updates = max(1, steps // (len(env.games) * T))
    for update in track(range(done, updates), "updates"):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - update / updates)
        (seen, mask, player, action, log_prob, value, rewards, terminated), now = collect(env, network, now)
        advantage = estimate_advantages(env, network, player, value, rewards, terminated)
        data = (seen, mask, action, log_prob, advantage, advantage + value)
        learn(network, optimizer, *(part.flatten(0, 1) for part in data))
        if (update + 1) % CHECKPOINT_EVERY == 0 and device == "cpu":
            write_checkpoint(out, settings, (update + 1, network, optimizer, env, now))
    save({"inputs": env.observation_size, "actions": env.num_actions, "weights": network.cpu().state_dict()}, out)


def read_checkpoint(out, settings):
    """An interrupted training, as its last checkpoint has it; None: there is none. Settings have the script's text."""
    path = Path(f"{out}.checkpoint")
    if not path.exists():
        return None
    checkpoint = torch.load(path, weights_only=False)
    if checkpoint["settings"] != settings:
        raise SystemExit(f"{path} is of other options, or of another script; delete it, or choose another --out")
    print(f"Going on with the training in {path}; delete it to begin anew.")
    torch.set_rng_state(checkpoint["random"])
    return checkpoint["training"]


def write_checkpoint(out, settings, training):
    """Keep a training, so that the same command resumes it as if there had been no interruption."""
    checkpoint = {"settings": settings, "random": torch.get_rng_state(), "training": training}
    write(checkpoint, Path(f"{out}.checkpoint"))


def save(content, out):
    """Write what was learned; the training is over."""
    write(content, out)
    Path(f"{out}.checkpoint").unlink(missing_ok=True)


def write(content, file):
    """Write a file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(f"{file}.unfinished")
    torch.save(content, unfinished)
    os.replace(unfinished, file)


def draw(policy, numbers):
    """Actions (n,) of a distribution over them, by random numbers (n,) of 0 ... 1."""
    reached = policy.probs.double().cumsum(dim=1).numpy()
    return (reached > numbers[:, None] * reached[:, -1:]).argmax(axis=1)


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
        policy, _ = look(self.network, observe(self.network, asked), asked.legal())
        return draw(policy, self.uniform(games, rows))


def new_file(text):
    """The file that an option names."""
    if Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder; it must be a file")
    return Path(text)


def arguments(description, of_ppo=False):
    """What the command line asks for: steps, seed and out, and of PPO what is played where."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000_000, help="decisions to learn from, in whole updates")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=new_file, default=Path("model.pt"), help="file for the trained network")
    if of_ppo:
        parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of games and network")
        parser.add_argument("--rulesets", type=Path, help="file with the list to train on; default: rules as printed")
        parser.add_argument("--blind", action="store_true", help="do not show the network which ruleset it plays")
    given = parser.parse_args()
    if given.steps < 1 or given.seed < 0:
        parser.error("--steps is 1 or more, --seed 0 or more")
    if of_ppo and given.rulesets and given.device != "cpu":
        parser.error("--rulesets needs --device cpu")
    if of_ppo and given.blind and not given.rulesets:
        parser.error("--blind needs --rulesets")
    return vars(given)


if __name__ == "__main__":
    train(**arguments(__doc__, of_ppo=True))
