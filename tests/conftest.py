"""The tests share one compiled engine, and compiled agents."""

import signal

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.observation.formats import DTYPES
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS

collect_ignore = [
    "browser",  # needs Chromium: `make browser`
    "integrations",  # need other libraries: `make integrations`
]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile everything once, before the workers of pytest-xdist start."""
    if hasattr(session.config, "workerinput"):
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background: what tests start inherits it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):  # observations are compiled for each number
        for dtype in DTYPES:
            Games(1, Ruleset(players=players)).observe(rules=True, dtype=dtype)
    games = Games(1)
    games.step([np.flatnonzero(games.legal()[0])[0]])
    games.step_random()
    games.step_random(rows=[0])
    for code in ("grow", "greedy", "search:sims=1"):
        make_agent(code, seed=0).act(games, np.zeros(1, np.int64))
    games.play_random()
    games.copy(reseed=0)
