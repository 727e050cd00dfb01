"""The compiled engine on disk: used again, but not after an edit of anything that it calls."""

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError

import ursuppe_env
from ursuppe_env.compilation.compiler import CACHE, Compiler

from support.command import end_soon, ursuppe

# Two small functions of the engine; what they say depends on other modules, that they call or take constants from.
LOOK = """
import numpy as np
import ursuppe_env
from ursuppe_env import Ruleset
from ursuppe_env.compilation.compiler import CACHE
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.phases.scoring import is_over
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


def three_times(number):
    return np.int64(3) * number


def one_more(number):
    return number + 1


class Copy:
    """A copy of the package with a cache of its own, and beside it a bot."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "ursuppe_env"
        self.cache = folder / "cache" / "ursuppe_env"
        shutil.copytree(Path(ursuppe_env.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "bot.py").write_text(BOT)
        (folder / "prices.py").write_text("FACTOR = 10\n")

    def start(self, code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-c", code, *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": str(self.folder),
                "NUMBA_CACHE_DIR": str(self.folder / "cache"),
                "PYTHONDONTWRITEBYTECODE": "1",  # an edit within the second that the .pyc remembers goes unseen
                **environment,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str, *arguments: str, says: str = "", **environment: str) -> str:
        """What the code prints; on stderr it says this, once, or nothing."""
        process = self.start(code, *arguments, **environment)
        printed, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
        assert said.count(says) == 1 if says else said == ""
        return printed

    def look(self, says: str = "", **environment: str) -> tuple[bool, int, bool, str]:
        """Is the game over, what does a step cost, was the compiled code in the cache, and the cache's key."""
        over, cost, loaded, key, file = self.run(LOOK, says=says, **environment).split()
        assert Path(file).parent == self.package
        return over == "True", int(cost), loaded != "0", key

    def edit(self, module: str, written: str, instead: str) -> None:
        [file] = (self.package / "rules").rglob(module)
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


CLEAR = f"""{LOOK}
from ursuppe_env.cli import run

print(any(CACHE.rglob("*.code")))
run(["cache", "--clear"]), run(["cache"])
"""


def test_cache_clear_deletes_what_was_compiled(package: Copy):
    _, compiled, deleted, left = package.run(CLEAR).splitlines()
    assert compiled == "True"
    assert re.fullmatch(re.escape(f"{package.cache}: ") + r"\d+\.\d MB deleted", deleted)
    assert left == f"{package.cache}: 0.0 MB"
    assert not package.cache.exists()


# A bot outside the package: compiled code that calls a helper of its own, and one of the engine.
BOT = """
from pathlib import Path

import numpy as np
from prices import FACTOR
from ursuppe_env import Ruleset
from ursuppe_env.compilation.compiler import compiler_for
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.state import STATE

compiled = compiler_for("bot", [Path(__file__), Path("prices.py")])

@compiled.announced("the bot", seconds=1)
def dear(game, rules):
    return FACTOR * step_cost(game, rules, 0)

for _ in range(2):
    cost = dear(np.zeros(1, STATE)[0], Ruleset(move_cost=2).record[0])
print(cost, len(dear.stats.cache_hits), compiled.folder)
"""


def test_compiled_code_outside_the_engine_follows_its_own_sources_and_the_engine(package: Copy):
    def look(says: str = "") -> tuple[int, bool, Path]:
        cost, loaded, folder = package.run("import bot", says=says).split()
        return int(cost), loaded != "0", Path(folder)

    cost, loaded, folder = look(says="ursuppe_env: compiling the bot for this computer, once: about 1 s; ")
    assert (cost, loaded) == (20, False)
    assert look() == (20, True, folder)

    (package.folder / "prices.py").write_text("FACTOR = 100\n")
    cost, loaded, other = look(says="compiling the bot")
    assert (cost, loaded) == (200, False)
    assert other.parent == folder.parent, "the engine is the same"

    package.edit("movement.py", 'else rules["move_cost"]', 'else rules["move_cost"] + 1')
    cost, loaded, other = look(says="compiling the bot")
    assert (cost, loaded) == (300, False)
    assert other.parent != folder.parent, "the engine is another one"


# A function too large to be inlined, and one that calls it.
LARGE = """
import sys
from pathlib import Path

from ursuppe_env.compilation.compiler import compiler_for

compiled = compiler_for("large", [Path(__file__)])

@compiled
def one_more(number):
    return number + 1

@compiled
def large(number):
    total = 0
    BRANCHES
    return total

@compiled
def caller(number):
    return 2 * large(number)

if "first" in sys.argv:
    one_more(3), one_more(0.5)  # code is numbered as it is compiled: that of the large one gets another name
print(caller(5), len(caller.stats.cache_hits), len(large.stats.cache_hits), compiled.folder)
""".replace("BRANCHES", "\n    ".join(f"if number > {n}: total += number * number - {n}" for n in range(100)))


def test_the_code_of_a_large_function_exists_once_and_its_callers_follow_it(package: Copy):
    (package.folder / "calls.py").write_text(LARGE)

    def look(*arguments: str) -> tuple[int, int, int, Path]:
        result, *hits, folder = package.run("import calls", *arguments).split()
        return int(result), *map(int, hits), Path(folder)  # type: ignore[return-value]

    expected = 2 * sum(25 - n for n in range(5))
    *seen, folder = look()
    assert seen == [expected, 0, 0]
    assert look() == (expected, 1, 1, folder)
    (caller,), (large,) = folder.rglob("calls.caller-*.code"), folder.rglob("calls.large-*.code")
    assert caller.stat().st_size < large.stat().st_size

    large.unlink()
    assert look("first") == (expected, 0, 0, folder), "what the caller was linked with is no more"
    assert look() == (expected, 1, 1, folder)

    large.unlink()
    caller.write_bytes(caller.read_bytes()[:-1])
    assert package.run("import calls", says="is damaged").startswith(f"{expected} 0 0 ")


def test_few_editions_of_compiled_code_are_kept(tmp_path: Path):
    folders = [tmp_path / f"edition {number}" for number in range(5)]
    for age, folder in enumerate(folders):
        assert Compiler(folder)(three_times)(14) == 42
        os.utime(folder, (age, age))
    assert [folder.is_dir() for folder in folders] == [False, True, True, True, True]


TOGETHER = """
import os, sys, time
from pathlib import Path
import ursuppe_env

here = Path("ready")
(here / str(os.getpid())).touch()
while len(list(here.iterdir())) < 3:
    time.sleep(0.01)
import bot
"""


def test_of_processes_that_begin_together_one_compiles_and_says_so(package: Copy):
    (package.folder / "ready").mkdir()
    processes = [package.start(TOGETHER) for _ in range(3)]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [printed.split()[0] for printed, _ in outputs] == ["20"] * 3, outputs
    assert sorted(int(printed.split()[1]) for printed, _ in outputs) == [0, 1, 1], "one compiled, two found its code"
    said = "".join(said for _, said in outputs)
    assert (said.count("compiling the bot"), said.count("compiled the bot in ")) == (1, 1)


HOLD = """
from ursuppe_env.rules.phases.movement import step_cost

step_cost._cache.lock.acquire()
print("held", flush=True)
input()
"""


def test_a_process_killed_while_compiling_holds_nobody_up(package: Copy):
    holder = package.start(HOLD)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    other = package.start("import bot")
    assert other.stderr is not None
    assert other.stderr.readline().startswith("ursuppe_env: compiling the bot"), "which calls what is held"
    assert other.stderr.readline() == "ursuppe_env: waiting for another process, which is compiling\n"
    assert other.poll() is None
    holder.kill()
    holder.communicate(timeout=300)
    printed, said = other.communicate(timeout=300)
    assert printed.startswith("20 0 ")
    assert said.startswith("ursuppe_env: compiled the bot in ")


def test_after_a_failed_compilation_the_next_one_goes_on(tmp_path: Path, capsys):
    compiled = Compiler(tmp_path / "edition")

    @compiled.announced("nonsense", seconds=1)
    def add(number):
        return number + "one"

    with pytest.raises(TypingError):
        add(1)
    assert capsys.readouterr().err.count("\n") == 1, "begun, and not done"
    assert not list(tmp_path.rglob("*.lock")), "other processes may compile it"


def test_several_functions_of_one_thing_are_announced_once(tmp_path: Path, capsys):
    compiled = Compiler(tmp_path / "edition")
    for function in (three_times, lambda number: number + 1):
        compiled.announced("two functions", seconds=1)(function)(14)
    said = capsys.readouterr().err.splitlines()
    assert [line.split(" for ")[0].split(" in ")[0] for line in said] == [
        "ursuppe_env: compiling two functions",
        "ursuppe_env: compiled two functions",
    ]


WIDTHS = """
from pathlib import Path
from ursuppe_env.compilation.compiler import Compiler

compiled = Compiler(Path(__file__).parent / "edition")

@compiled
def double(number):
    return 2 * number

@compiled
def doubles(numbers):
    return double(numbers[0]) + double(3) + double(len(numbers))
"""


def test_a_function_is_compiled_once_for_integers_of_all_sizes_and_constants(tmp_path: Path, monkeypatch):
    (tmp_path / "compiled_widths.py").write_text(WIDTHS)
    monkeypatch.syspath_prepend(tmp_path)
    widths = import_module("compiled_widths")
    assert widths.doubles(np.array([-100], np.int8)) == -192
    assert len(widths.double.overloads) == 1


USED = """
import gc
from ursuppe_env.cli import run
from ursuppe_env.compilation.compiler import _Function

agents = "hunter,greedy,policy:default,search:sims=2"
run(["record", "--games", "1", "--ruleset", "short", "--agents", agents, "games.jsonl", "--workers", "1"])
run(["train", "quick", "--set", "steps=256", "--set", "envs=16", "--set", "rollout=16", "--set", "batch_size=256",
     "--set", "evaluation_games=4", "--set", "report_games=0", "--out", "run"])
functions = [function for function in gc.get_objects() if isinstance(function, _Function)]
print(len(functions) > 100, [function.__name__ for function in functions if function.stats.cache_misses])
"""


def test_what_is_needed_is_compiled_beforehand(tmp_path: Path, capsys):
    """The tests themselves begin with that (conftest.py); here it is done once more, and then the code is used."""
    status, out, _ = ursuppe(capsys, "cache", "--warm")
    assert status == 0
    *lines, cache = out.splitlines()
    assert all(re.fullmatch(r".+: ready after \d+\.\d s", line) for line in lines)
    ready = {line.rpartition(":")[0] for line in lines}
    assert ready >= {"the game", "what 6 players see", "hunter", "greedy", "policy:default", "search", "training"}
    assert cache.startswith(str(CACHE.parent))
    used = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert used.stdout.splitlines()[-1] == "True []"


def flipped(position: float) -> Callable[[bytes], bytes]:
    def flip(content: bytes) -> bytes:
        at = int(position * (len(content) - 1))
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    return flip


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "only the digest": lambda content: content[:32],
    "a byte less": lambda content: content[:-1],
    "longer": lambda content: content + b"\0",
    "something else": lambda content: b"<html>not found</html>" * 100,
    **{f"a bit flipped at {position:.0%}": flipped(position) for position in (0, 0.5, 1)},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_code_is_thrown_away_with_one_line_and_compiled_anew(tmp_path: Path, capsys, damage: str):
    def compute() -> tuple[int, bool]:
        compiled = Compiler(tmp_path / "edition")
        functions = compiled(three_times), compiled(one_more)
        return functions[0](functions[1](13)), all(function.stats.cache_hits for function in functions)

    assert compute() == (42, False)
    assert compute() == (42, True)
    files = list(tmp_path.rglob("*.code"))
    assert len(files) == 2
    for file in files:
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert capsys.readouterr().err == ""
    assert compute() == (42, False)
    assert capsys.readouterr().err == (
        f"ursuppe_env: compiled code in {tmp_path / 'edition'} is damaged; it is thrown away and compiled anew\n"
    )
    assert compute() == (42, True)


def test_where_no_cache_can_be_written_the_temporary_files_have_one(package: Copy):
    temporary = package.folder / "temporary"
    temporary.mkdir()
    places = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/dev/null/nobody", "TMPDIR": str(temporary)}
    assert package.look(**places)[:3] == (True, 0, False)
    assert package.look(**places)[:3] == (True, 0, True)
    (own,) = temporary.iterdir()
    assert own.stat().st_mode & 0o777 == 0o700

    own.chmod(0o777)  # others may have put code there
    assert package.look(says="/dev/null/nobody/.cache/ursuppe_env/", **places)[:3] == (True, 0, False)


FULL_DISK = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, {resource.RLIM_INFINITY}))
{LOOK}
"""


def test_on_a_full_disk_it_plays_and_says_that_nothing_is_kept(package: Copy):
    over, *_ = package.run(FULL_DISK, says=" (File too large); every process compiles it anew. NUMBA_CACHE_DIR").split()
    assert over == "True"
    assert not [file for file in package.cache.rglob("*") if file.is_file() and file.name != "lock"]


KILLED = """
import multiprocessing, os, signal
from ursuppe_env.cli.cache import compile_all
for _ in compile_all():
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_that_compile_end_with_the_one_that_began_them_however_that_dies():
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as killed:
        pids = [int(pid) for pid in killed.stdout.readline().split()]
    assert pids
    assert end_soon(pids)
