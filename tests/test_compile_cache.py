"""The compiled engine on disk: used again, but not after an edit of anything that it calls."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ursuppe_env

# Two small functions of the engine; what they say depends on other modules, that they call or take constants from.
LOOK = """
import numpy as np
import ursuppe_env
from ursuppe_env import Ruleset
from ursuppe_env.rules.compilation import CACHE
from ursuppe_env.rules.movement import step_cost
from ursuppe_env.rules.scoring import is_over
from ursuppe_env.rules.state import STATE

games = np.zeros(1, STATE)
games["order"][0, :4] = range(4)
games["marker"][0, :4] = (1, 2, 3, 42)
games["genes"][0, 0, 8] = 1
rules = Ruleset().record[0]
over, cost = is_over(games[0], rules), step_cost(games[0], rules, 0)
loaded = [len(function.stats.cache_hits) for function in (is_over, step_cost)]
print(bool(over), cost, min(loaded), CACHE.name, ursuppe_env.__file__)
"""


class Copy:
    """A copy of the package with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "ursuppe_env"
        self.cache = folder / "cache" / "ursuppe_env"
        shutil.copytree(Path(ursuppe_env.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, code: str, *arguments: str, says: str = "") -> str:
        """What the code prints; on stderr it says this, or nothing."""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "NUMBA_CACHE_DIR": str(self.folder / "cache"),
                "PYTHONDONTWRITEBYTECODE": "1",  # an edit within the second that the .pyc remembers goes unseen
            },
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count(says) == 1 if says else done.stderr == ""
        return done.stdout

    def look(self) -> tuple[bool, int, bool, str]:
        """Is the game over, what does a step cost, was the compiled code in the cache, and the cache's key."""
        over, cost, loaded, key, file = self.run(LOOK).split()
        assert Path(file).parent == self.package
        return over == "True", int(cost), loaded != "0", key

    def edit(self, module: str, written: str, instead: str) -> None:
        file = self.package / "rules" / module
        text = file.read_text(encoding="utf-8")
        assert text.count(written) == 1
        file.write_text(text.replace(written, instead), encoding="utf-8")


@pytest.fixture
def package(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_an_edit_of_what_compiled_code_calls_is_seen(package: Copy):
    """Numba itself looks at the file of the function alone, and would run the old code."""
    over, cost, loaded, key = package.look()
    assert (over, cost, loaded) == (True, 0, False)
    assert package.look() == (True, 0, True, key)

    helper = ('game["order"][rules["players"] - 1 - turn]', 'game["order"][0 + turn]')
    package.edit("state.py", *helper)
    over, cost, loaded, edited_key = package.look()
    assert (over, cost, loaded) == (False, 0, False)
    assert edited_key != key

    package.edit("state.py", *reversed(helper))
    assert package.look() == (True, 0, True, key)

    package.edit("genes.py", "STREAMLINING = 8\n    TENTACLE = 9", "TENTACLE = 8\n    STREAMLINING = 9")
    over, cost, loaded, _ = package.look()
    assert (over, cost, loaded) == (True, 1, False)


def test_cache_clear_deletes_what_was_compiled(package: Copy):
    package.look()
    assert any(package.cache.rglob("*.nbi"))
    said = package.run("from ursuppe_env.cli import main; main()", "cache", "--clear")
    assert said.startswith(f"{package.cache}: ")
    assert said.endswith(" MB deleted\n")
    assert not package.cache.exists()
    assert package.run("from ursuppe_env.cli import main; main()", "cache") == f"{package.cache}: 0.0 MB\n"
    assert not package.look()[2]


# A bot outside the package: compiled code that calls a helper of its own, and one of the engine.
PRICES = "FACTOR = 10\n"
BOT = """
from pathlib import Path

import numpy as np
from prices import FACTOR
from ursuppe_env import Ruleset
from ursuppe_env.rules.compilation import compiler_for
from ursuppe_env.rules.movement import step_cost
from ursuppe_env.rules.state import STATE

compiled = compiler_for("bot", [Path(__file__), Path("prices.py")])

@compiled
def dear(game, rules):
    return FACTOR * step_cost(game, rules, 0)

compiled.announce()
compiled.announce()  # says nothing more
print(dear(np.zeros(1, STATE)[0], Ruleset(move_cost=2).record[0]), len(dear.stats.cache_hits), compiled.folder)
"""


def test_compiled_code_outside_the_engine_follows_its_own_sources_and_the_engine(package: Copy):
    (package.folder / "bot.py").write_text(BOT)
    (package.folder / "prices.py").write_text(PRICES)

    def look(says: str = "") -> tuple[int, bool, Path]:
        cost, loaded, folder = package.run("import bot", says=says).split()
        return int(cost), loaded != "0", Path(folder)

    cost, loaded, folder = look(says="ursuppe_env: compiling bot, once")
    assert (cost, loaded) == (20, False)
    assert look() == (20, True, folder)

    (package.folder / "prices.py").write_text("FACTOR = 100\n")
    cost, loaded, other = look(says="compiling bot")
    assert (cost, loaded) == (200, False)
    assert other.parent == folder.parent, "the engine is the same"

    package.edit("movement.py", 'else rules["move_cost"]', 'else rules["move_cost"] + 1')
    cost, loaded, other = look(says="compiling bot")
    assert (cost, loaded) == (300, False)
    assert other.parent != folder.parent, "the engine is another one"


def test_few_editions_of_compiled_code_are_kept(package: Copy):
    (package.folder / "bot.py").write_text(BOT)
    folders = []
    for edition in range(5):
        (package.folder / "prices.py").write_text(f"FACTOR = {edition}\n")
        *_, folder = package.run("import bot", says="compiling bot").split()
        folders.append(Path(folder))
        os.utime(folder, (edition, edition))
    assert [folder.is_dir() for folder in folders] == [False, True, True, True, True]
