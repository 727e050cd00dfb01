"""Policy-space response oracles: a population that grows by a best response to its own mixture.

Each generation learns by PPO in one seat of each table; all other seats of a table have one policy of the population.
Which one is drawn by the meta-strategy: Hedge over what each policy wins alone among three of another. What comes out
plays each game with one policy of the population, drawn by the last meta-strategy.

python training/scripts/psro.py --steps 10000000 --seed 0 --out runs/psro.pt
cd training/scripts && ursuppe benchmark run ladder4-v1 psro:Player:model=../../runs/psro.pt --out ../../runs/psro-rows
"""

import copy
from pathlib import Path

import numpy as np
import ppo
import torch
from ppo import GAMMA, LAMBDA, LEARNING_RATE, N, T, arguments, draw, learn, look, new_network, save
from rich.progress import track

from ursuppe_agents import Agent
from ursuppe_env import Games
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv

GENERATIONS, PAYOFF_GAMES, HEDGE_ROUNDS = 8, 50, 2000


@torch.inference_mode()
def act(networks, which, games, rows, numbers):
    """Actions (n,) in these rows, each by one of the networks, drawn by numbers (n,) of 0 ... 1."""
    asked = games.copy(rows)
    seen, legal, actions = asked.observe(), asked.legal(), np.empty(len(rows), np.int64)
    for number in np.unique(which):
        mine = which == number
        actions[mine] = draw(look(networks[number], seen[mine], legal[mine])[0], numbers[mine])
    return actions


def network_of_game(key, strategy):
    """Which network plays each game: the same through a whole game, and over all games as the strategy says."""
    point = (key >> np.uint64(11)) / 2**53  # keys (n,) are 64 random bits a game, of which the first matter most
    return np.searchsorted(strategy.cumsum()[:-1], point, side="right")


@torch.no_grad()
def collect(env, network, observation, mask):
    """T decisions of the learner at each table, (T, N, ...), with their advantages, and what it sees next."""
    steps = []
    for _ in range(T):
        policy, value = look(network, observation, mask)
        action = policy.sample()
        after, reward, terminated, _, infos = env.step(action.numpy())
        steps.append((observation, mask, action, policy.log_prob(action), value, reward, terminated))
        observation, mask = after.copy(), infos["action_mask"].copy()
    *data, value, reward, terminated = [np.stack(parts) for parts in zip(*steps, strict=True)]
    next_value, next_advantage, advantage = look(network, observation, mask)[1].numpy(), 0, np.empty_like(value)
    for t in reversed(range(T)):
        goes_on = ~terminated[t]
        delta = reward[t] + GAMMA * next_value * goes_on - value[t]
        advantage[t] = next_advantage = delta + GAMMA * LAMBDA * next_advantage * goes_on
        next_value = value[t]
    return (*data, advantage, advantage + value), (observation, mask)


def improve(env, network, updates, seed, generation):
    """Learn to respond to the opponents of the environment."""
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    observation, infos = env.reset(seed=seed)
    seen = observation.copy(), infos["action_mask"].copy()
    for update in track(range(updates), f"generation {generation} of {GENERATIONS}"):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / updates)
        data, seen = collect(env, network, *seen)
        learn(network, optimizer, *(torch.as_tensor(part).flatten(0, 1) for part in data))


def newest_among_all(networks, generator):
    """(2, K) what the newest network wins alone among copies of each, and what each wins alone among copies of it."""
    count = len(networks)
    lone, others = np.full(count, count - 1), np.arange(count)
    lone, others = np.r_[lone, others].repeat(PAYOFF_GAMES), np.r_[others, lone].repeat(PAYOFF_GAMES)
    games = Games(len(lone), seed=int(generator.integers(2**63)))
    seat = np.arange(len(lone)) % games.num_players
    while len(rows := np.flatnonzero(~games.finished)):
        which = np.where(games.player[rows] == seat[rows], lone[rows], others[rows])
        games.step(act(networks, which, games, rows, generator.random(len(rows))), rows)
    return (games.winner == seat).reshape(2, count, PAYOFF_GAMES).mean(axis=2)


def meta_strategy(wins):
    """The mean of Hedge over a matrix (K, K): what k wins alone among copies of l."""
    total, mean = np.zeros(len(wins)), np.zeros(len(wins))
    for number in range(HEDGE_ROUNDS):
        weights = np.exp((total - total.max()) / np.sqrt(number + 1))
        mean += weights / weights.sum() / HEDGE_ROUNDS
        total += wins @ (weights / weights.sum())
    return mean


def train(steps, seed, out):
    """Train for so many decisions of learners, and write the population."""
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    env = UrsuppeVectorEnv(N, reward="rank", autoreset_mode="SameStep")
    network = new_network(env.single_observation_space.shape[0], int(env.single_action_space.n))
    settings = (Path(__file__).read_text(), steps, seed)
    begun = generator, [copy.deepcopy(network)], np.ones(1), np.array([[1 / env.games.num_players]])
    generator, networks, strategy, wins = ppo.read_checkpoint(out, settings) or begun
    network = copy.deepcopy(networks[-1])

    def opponent(games, rows):
        other_half = games.state["key"][rows] << np.uint64(32)  # of the key: the first draws the learner's seat
        which = network_of_game(other_half, strategy)
        return act(networks, which, games, rows, generator.random(len(rows)))

    env.opponent = opponent
    for generation in range(len(networks), GENERATIONS + 1):
        improve(env, network, max(1, steps // (GENERATIONS * N * T)), seed + generation, generation)
        networks.append(copy.deepcopy(network))
        wins = np.pad(wins, (0, 1))
        wins[-1], wins[:, -1] = newest_among_all(networks, generator)
        strategy = meta_strategy(wins)
        ppo.write_checkpoint(out, settings, (generator, networks, strategy, wins))
    sizes = {"inputs": network[0].in_features, "actions": network[-1].out_features - 1}
    save(sizes | {"strategy": strategy.tolist(), "weights": [network.state_dict() for network in networks]}, out)


class Player(Agent):
    """Plays by a population that was trained here, for the arena and the benchmark."""

    def __init__(self, generator, *, model: str):
        super().__init__(generator)
        saved = torch.load(model, weights_only=True)
        self.strategy = np.array(saved["strategy"])
        self.networks = [new_network(saved["inputs"], saved["actions"]) for _ in saved["weights"]]
        for network, weights in zip(self.networks, saved["weights"], strict=True):
            network.load_state_dict(weights)

    def act(self, games: Games, rows):
        which = network_of_game(games.state["key"][rows], self.strategy)
        return act(self.networks, which, games, rows, self.uniform(games, rows))


if __name__ == "__main__":
    train(**arguments(__doc__))
