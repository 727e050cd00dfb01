"""The start of a process: importing the package, the first game, and compiling everything anew."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ursuppe_env
from ursuppe_env.bench.figures import Effort, Figure, Goal

_IMPORT = """
import time
begin = time.perf_counter()
import ursuppe_env
print(time.perf_counter() - begin)
"""

_FIRST_GAME = """
import time
import numpy as np
from ursuppe_env import Games
begin = time.perf_counter()
games = Games(1)
while not games.finished[0]:
    games.observe()
    games.step([np.flatnonzero(games.legal()[0])[0]])
print(time.perf_counter() - begin)
"""

_EVERYTHING = """
import time
begin = time.perf_counter()
import numpy as np
from ursuppe_env import Games
games = Games(1)
games.observe()
games.step([np.flatnonzero(games.legal()[0])[0]])
games.step_random(rows=[0])
games.copy(reseed=0).play_random()
print(time.perf_counter() - begin)
"""


def measure_start(effort: Effort) -> list[Figure]:
    """Importing the package, and the first game from the warm cache; a process each time."""
    _in_new_process(_FIRST_GAME)  # fills the cache if it is empty
    imports = tuple(_in_new_process(_IMPORT) for _ in range(effort.starts))
    games = tuple(_in_new_process(_FIRST_GAME) for _ in range(effort.starts))
    return [
        Figure("import ursuppe_env", "s", imports, Goal(0.5, at_least=False)),
        Figure("first game, warm cache", "s", games, Goal(1, at_least=False)),
    ]


def measure_compilation() -> list[Figure]:
    """Importing and compiling all entry points with an empty cache folder; once, since it takes so long."""
    with tempfile.TemporaryDirectory(prefix="ursuppe-bench-") as folder:
        seconds = _in_new_process(_EVERYTHING, {"NUMBA_CACHE_DIR": folder})
    return [Figure("cold compilation", "s", (seconds,), Goal(75, at_least=False))]


def _in_new_process(code: str, environment: dict[str, str] | None = None) -> float:
    """What this code prints in a fresh interpreter that imports this very package."""
    package = Path(ursuppe_env.__file__).parent
    path = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a fresh interpreter failed: {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout)
