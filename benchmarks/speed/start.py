"""The start of a process: importing the package, the first game, and compiling everything anew.

Each function returns the statement that is timed in a new process, and what comes before it.
"""

_IMPORT = "import numpy as np; from ursuppe_env import Games"
_FIRST_GAME = """
games = Games(1)
while not games.finished[0]:
    games.observe()
    games.step([np.flatnonzero(games.legal()[0])[0]])
"""
_EMPTY_CACHE = """
import os, tempfile
folder = tempfile.TemporaryDirectory()
os.environ["NUMBA_CACHE_DIR"] = folder.name
"""


def timeraw_import() -> str:
    """The import alone."""
    return "import ursuppe_env"


def timeraw_first_game() -> tuple[str, str]:
    """A game with the compiled code in the cache."""
    return _FIRST_GAME, _IMPORT


def timeraw_cold_compilation() -> tuple[str, str]:
    """Importing, and a game and random play with an empty cache: all that the engine has to compile."""
    return f"{_IMPORT}{_FIRST_GAME}games.copy(reseed=0).step_random()\nGames(1).play_random()", _EMPTY_CACHE


timeraw_import.repeat = timeraw_first_game.repeat = 5
timeraw_import.rounds = timeraw_first_game.rounds = 3
timeraw_cold_compilation.repeat, timeraw_cold_compilation.rounds = 1, 3
