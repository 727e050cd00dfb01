"""How the weights of the value function were found: ``python -m studies.value_weights`` finds them again.

Approximate policy iteration. In each generation greedy players with the present weights play against each other and
against the scripted agents, all with some random actions so that they see more than their own habits. Then the weights
become those under which the value function would have foreseen the winners of the last generations' games best (a
conditional logit over the players, by maximum likelihood; the problem is convex and has one optimum). Generations
overshoot in turns, so the result is the mean of the weights of the second half of them.

``weights.json`` has the result and ``weights.log`` what was seen on the way; both lie in ``ursuppe_agents/search/``.
"""

import json
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray
from scipy.optimize import minimize

from ursuppe_agents.registry import make_agent
from ursuppe_agents.search.greedy import action_values
from ursuppe_agents.search.lookahead import new_workspace
from ursuppe_agents.search.value import FEATURES, NUM_FEATURES, WEIGHTS_FILE, features_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.files import write_atomically

_LOG = WEIGHTS_FILE.with_suffix(".log")
_PARTS = 2  # of a weight: what always counts, and what counts by nearness of the end
_FIRST_GUESS = {"marker": 1.0, "projected": 1.0, "amoebas": 0.3, "doomed": -0.2, "in peril": -0.3, "bp": 0.3}
_ORDER = (4, 3, 5, 6)  # players: the others begin with the weights for 4
_SPARRING = ("breeder", "collector", "hoarder", "hunter", "scavenger", "wanderer")
_NO_PARTNER = -1
_GREEDY = 0.5  # of the seats; the others are the partners'
_MOST_RANDOM = 0.1  # of a player's actions; each player of each game has their own part between 0 and this
_RECORDED = 0.12  # of the decisions
_PENALTY = 1e-4  # on the squares of the weights of standardised features
_KEPT = 3  # generations whose games are fitted together


class Positions(NamedTuple):
    """Positions and how their games ended."""

    features: NDArray[np.float32]  # (n, P, 2 K): the features, and the same by nearness of the end
    winner: NDArray[np.int64]  # (n,)


def tune(
    players: int, weights: NDArray[np.float64], num_games: int, generations: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], list[str]]:
    """Better weights, (2, K), and the lines for the log, which are written as they come."""
    recorded: list[Positions] = []
    found, lines = [], []
    for generation in range(1, generations + 1):
        began = time.process_time()
        newest, wins = play(players, weights, num_games, generator)
        recorded = [*recorded[1 - _KEPT :], newest]
        positions = Positions(*(np.concatenate(parts) for parts in zip(*recorded, strict=True)))
        weights, loss = fit(positions)
        found.append(weights)
        lines.append(
            f"{players:7} {generation:10} {num_games:6} {wins:11.3f} {len(positions.winner):9} {loss:8.4f} "
            f"{time.process_time() - began:8.0f}"
        )
        typer.echo(lines[-1])
    return np.mean(found[generations // 2 :], axis=0), lines


def play(
    players: int, weights: NDArray[np.float64], num_games: int, generator: np.random.Generator
) -> tuple[Positions, float]:
    """Positions of games of greedy players and strategies; and the part of the games that a greedy player won.

    At every second table all partners play the same strategy, at the others each their own.
    """
    games = Games(num_games, Ruleset(players=players), seed=int(generator.integers(2**63)))
    table = (num_games, players)
    partner = generator.integers(len(_SPARRING), size=table)
    partner[::2] = partner[::2, :1]
    partner[generator.random(table) < _GREEDY] = _NO_PARTNER
    part_random = generator.uniform(0, _MOST_RANDOM, table)
    workspace = new_workspace()
    agents = [make_agent(code, generator) for code in _SPARRING]
    features, rows_of = [], []
    while not games.finished.all():
        rows = np.flatnonzero(games.state["player"] >= 0)
        chosen = rows[generator.random(len(rows)) < _RECORDED]
        if len(chosen):
            seen, rounds_left = features_of(games.copy(chosen))
            features.append(np.concatenate([seen, seen / rounds_left[:, None, None]], axis=2, dtype=np.float32))
            rows_of.append(chosen)
        actions = np.full(num_games, -1)
        seat = games.state["player"][rows]
        thinking = rows[partner[rows, seat] == _NO_PARTNER]
        actions[thinking] = action_values(games, thinking, weights, workspace).argmax(axis=1)
        for number, agent in enumerate(agents):
            asked = rows[partner[rows, seat] == number]
            if len(asked):
                actions[asked] = agent(games, asked)
        straying = rows[generator.random(len(rows)) < part_random[rows, seat]]
        if len(straying):
            masks = games.copy(straying).legal()
            actions[straying] = (masks * generator.random(masks.shape)).argmax(axis=1)
        games.step(actions)
    winner = games.winner.astype(np.int64)
    greedy_wins = float((partner[np.arange(num_games), winner] == _NO_PARTNER).mean())
    return Positions(np.concatenate(features), winner[np.concatenate(rows_of)]), greedy_wins


def fit(positions: Positions) -> tuple[NDArray[np.float64], float]:
    """The weights (2, K) under which the winners are most likely, and their mean negative log-likelihood."""
    features = positions.features.astype(np.float64)
    scale = features.std(axis=(0, 1)) + 1e-3
    features /= scale
    rows = np.arange(len(features))

    def penalised_loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        strength = features @ weights
        chances = np.exp(strength - strength.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        loss = -np.log(chances[rows, positions.winner]).mean()
        chances[rows, positions.winner] -= 1
        gradient = np.tensordot(chances, features, 2) / len(rows)
        return loss + _PENALTY * (weights @ weights), gradient + 2 * _PENALTY * weights

    best = minimize(penalised_loss, np.zeros(features.shape[-1]), jac=True, method="L-BFGS-B")
    return (best.x / scale).reshape(_PARTS, NUM_FEATURES), float(best.fun)


def main(
    games: Annotated[int, typer.Option(min=1, help="Games of self-play in each generation.")] = 1500,
    generations: Annotated[int, typer.Option(min=1, help="With 4 players; half as many with others.")] = 8,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    folder: Annotated[Path, typer.Option(help="Where to write weights.json and weights.log.")] = WEIGHTS_FILE.parent,
) -> None:
    """Tune the weights of the value function for 3 to 6 players."""
    weights = np.zeros((_PARTS, NUM_FEATURES))
    weights[0] = [_FIRST_GUESS.get(name, 0.0) for name in FEATURES]
    tuned: dict[int, NDArray[np.float64]] = {}
    log = [
        f"python -m studies.value_weights --games {games} --generations {generations} --seed {seed}",
        "players generation  games greedy wins positions log-loss   CPU s",
    ]
    typer.echo(log[-1])
    for players in _ORDER:
        rounds = generations if players == _ORDER[0] else (generations + 1) // 2
        generator = np.random.default_rng([seed, players])
        tuned[players], lines = tune(players, tuned.get(_ORDER[0], weights), games, rounds, generator)
        log += lines
    readable = {
        str(players): {name: np.round(parts, 4).tolist() for name, parts in zip(FEATURES, found.T, strict=True)}
        for players, found in sorted(tuned.items())
    }
    write_atomically(folder / WEIGHTS_FILE.name, _one_feature_a_line(readable).encode())
    write_atomically(folder / _LOG.name, ("\n".join(log) + "\n").encode())


def _one_feature_a_line(tuned: dict[str, dict[str, list[float]]]) -> str:
    tables = []
    for players, weights in tuned.items():
        lines = [f"    {json.dumps(name)}: {json.dumps(parts)}" for name, parts in weights.items()]
        tables.append(f'  "{players}": {{\n' + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(tables) + "\n}\n"


if __name__ == "__main__":
    typer.run(main)
