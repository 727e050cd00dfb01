"""Advice to a person: the trained policy's likeliest action, unless its own play-outs show a better one."""

import time

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.search.playouts import play_out, stream_of
from ursuppe_env import Games
from ursuppe_env.teams import DUEL, Teams

SECONDS = 0.5  # that a person waits
_CANDIDATES = 4  # the policy's likeliest
_FIRST_DRAWS = 8  # tell how many more the time allows
_ERRORS = 2  # standard errors by which another action must be better
_KEY = b"hint"


def policy_for(teams: Teams | None) -> str:
    """Which policy of the package is for games with such teams, or without."""
    return "duel" if teams is not None and set(teams.seats) == set(DUEL) else "default"


def advised_action(evaluator: Evaluator, games: Games, teams: Teams | None = None) -> int:
    """An action for the player who is about to act.

    The policy's likeliest actions are played out to the end of the game with the same dice. The likeliest of all is
    advised, unless another one wins more of these games and noise does not explain it.

    Args:
        evaluator: the policy; a ``ValueError`` if it cannot evaluate such games.
        games: a batch of one, which stops neither at chance nor after rounds; left as it is.
        teams: who plays together; None: each seat for itself.
    """
    end = time.monotonic() + SECONDS
    priors = evaluator.priors(games, np.zeros(1, np.int64))[0]
    candidates = np.argsort(-priors, kind="stable")[: min(_CANDIDATES, int(games.state["num_legal"][0]))]
    if len(candidates) == 1:
        return int(candidates[0])

    def wins(number: int, draws: int) -> NDArray[np.float64]:
        stream = stream_of(games.state, _KEY, number)
        return play_out(evaluator, games, candidates, draws, stream, teams)[:, :, int(games.player[0])]

    began = time.monotonic()
    won = wins(0, _FIRST_DRAWS)
    now = time.monotonic()
    if more := int(_FIRST_DRAWS * max(end - now, 0) / (now - began)):
        won = np.concatenate([won, wins(1, more)])
    better = won - won[:, :1]
    error = np.sqrt(((better**2).sum(axis=0) + 2) / (len(won) + 2) ** 2)  # as if two more had differed: never 0
    gains = np.where(better.mean(axis=0) > _ERRORS * error, better.mean(axis=0), 0)
    return int(candidates[gains.argmax()])
