"""The chances of winning that agents predict, in place of the outcomes of games that are not played to their end."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator, evaluator_of
from ursuppe_agents.registry import make_agent
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.genes import NO_GENE
from ursuppe_lab.arena.matches import Matches


def predictor_of(spec: str, agent: Agent | None = None) -> Evaluator:
    """What predicts the chances of winning of an agent, made here if it is not given: itself, or what it searches by.

    Raises:
        ValueError: there is no such agent, or it predicts nothing.
        OSError: its file cannot be read.
    """
    evaluator = evaluator_of(make_agent(spec, 0) if agent is None else agent)
    if not isinstance(evaluator, Evaluator):
        raise ValueError(
            f"agent is {spec!r}, which predicts no chances of winning; for predictions it must be a policy, such as "
            "policy:default, or search by one, such as search:ms=50"
        )
    return evaluator


def chances_of_winning(matches: Matches, players: NDArray[np.int64], barred: NDArray[np.int64]) -> NDArray[np.float64]:
    """(N,) a player's chance of winning each game as it stands: 0 or 1 if it is over, else what their agent predicts.

    Args:
        matches: each game is over, or at a decision.
        players: (N,) whose chance.
        barred: (N,) the gene that the player may not have; -1: they may have all. The agent is shown no card of it, as
            it was when it chose (``branching.py``).
    """
    games = matches.games
    chances = (games.winner == players).astype(np.float64)
    going_on = np.flatnonzero(~games.finished)
    if len(going_on) == 0:
        return chances
    state = games.state[going_on]
    without = np.flatnonzero(barred[going_on] != NO_GENE)
    state["supply"][without, barred[going_on][without]] = 0
    seen = trusted_games(state, games.ruleset, threads=1)
    member = matches.seating[going_on, players[going_on]]
    for one in np.unique(member).tolist():
        rows = np.flatnonzero(member == one)
        of_all = predictor_of(matches.specs[one], matches.agents[one]).values(seen, rows)
        chances[going_on[rows]] = of_all[np.arange(len(rows)), players[going_on[rows]]]
    return chances
