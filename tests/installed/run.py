"""Does what a stranger installs work? ``make installed``, or ``python tests/installed/run.py`` (about five minutes).

All other tests run from the working tree. This builds the sdist and from it the wheel, compares both with what git has,
installs the wheel into an empty environment, at first as it is and then with extras, and runs there, in empty folders:
every example and command of the README, every command's help, every agent, preset and study, and some of the sdist's
tests.
"""

import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

sys.path.append(str(Path(__file__).resolve().parent.parent))

from built import NEWEST_PYTHON, build, check_newest_python, check_readme, check_sdist, check_wheel, unpack
from support.environments import ROOT, Environment

EXTRAS = "train,balance,web"
MOST_MEGABYTES = 400  # of the packages of an installation without extras
AT_ONCE = 2  # processes
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^│ (\w+) ", re.MULTILINE)  # in the list of `ursuppe --help`
ADVICE = "install it with: pip install 'ursuppe-env[{}]'"

#: Codes of agents for which the name alone will not do.
CODES = {"policy": "policy:default", "process": "process:ursuppe bot serve random", "search": "search:sims=4"}

#: So small that a preset is over in seconds, with all that it does.
SMALL = {
    "steps": 512,
    "envs": 16,
    "rollout": 16,
    "batch_size": 64,
    "checkpoint_every": 256,
    "evaluate_every": 512,
    "evaluation_games": 4,
    "evaluation_pool": ["random"],
    "report_games": 4,
    "exploit_percent": 0,
}

READ_STUDIES = """
from ursuppe_lab.balance import read_study, study_names
for name in study_names():
    read_study(name)
"""

#: A study of the kind of `fairer_prices`, which has too many games before it can say anything.
SEARCH = """
kind = "fairer"
name = "Spores"
games = 48
check_games = 48
candidates = 1
lineups = [["hunter"]]
rounds = [3, 4]
bonus = 20
base.players = 3
numbers."price.spores" = [1, 9]
"""

#: The server, asked for its pages and for a game.
WEB = """
import json, re, subprocess
from urllib.request import Request, urlopen

command = "ursuppe web --port 0 --no-browser --folder games"
with subprocess.Popen(command.split(), stdout=subprocess.PIPE, text=True) as server:
    try:
        address = re.search("http://[^/]+", server.stdout.readline())[0]
        for path in ("/", "/editor", "/page/game.js", "/page/style.css", "/page/theme.css", "/viewer/dom.js"):
            assert len(urlopen(address + path).read()) > 100, path
        headers = {"origin": address, "content-type": "application/json"}
        game = json.load(urlopen(Request(address + "/api/games", b"{}", headers)))["id"]
        assert len(urlopen(f"{address}/games/{game}").read()) > 100
    finally:
        server.terminate()
print("a game has begun")
"""

#: Of the unpacked sdist: the golden games, what reads the files beside the tests, and some scenarios.
TESTS = ["rules/test_golden.py", "rules/test_mutations.py", "rules/test_combat.py", "docs/test_make.py"]


def main() -> None:
    """Do everything, with a line a step; ends with status 1 at the first thing that does not work."""
    with TemporaryDirectory(prefix="ursuppe-installed-") as folder, ThreadPoolExecutor(1) as aside:
        work = Path(folder)
        with step("sdist, and from it the wheel"):
            sdist, wheel = build(work)
        with step("they have what git has; README.md for a package index"):
            sources = unpack(sdist, work)
            check_sdist(sources)
            check_wheel(wheel)
            check_readme(wheel)
        newest_python = aside.submit(check_newest_python, wheel, sources)  # minutes of downloads
        machine = Machine(Environment(work / "venv", NUMBA_CACHE_DIR=str(work / "numba")), work)
        with step(f"installing {wheel.name} into an empty environment"):
            machine.environment.install(str(wheel))
        size = machine.environment.megabytes()
        print(f"  {size:.0f} MB")
        if size > MOST_MEGABYTES:
            sys.exit(f"the installation without extras takes {size:.0f} MB; it must be at most {MOST_MEGABYTES}")
        try_minimal(machine)
        with step(f"installing {wheel.name}[{EXTRAS}]"):
            machine.environment.install(f"{wheel}[{EXTRAS}]")
        print(f"  {machine.environment.megabytes():.0f} MB")
        try_extras(machine)
        with step(f"wheels for Python {NEWEST_PYTHON} of all that it needs"):
            newest_python.result()
        with step("tests of the sdist"):
            machine.environment.install("pytest", "pytest-timeout", "hypothesis")
            machine.run(f"pytest -q {' '.join(TESTS)}", cwd=sources / "tests")
    print(f"What is installed works: {machine.done} commands", flush=True)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is done, and how long it took."""
    print(f"{what} ...", flush=True)
    started = time.perf_counter()
    yield
    print(f"  {time.perf_counter() - started:.0f} s", flush=True)


class Machine:
    """An environment and what runs in it, each command in an empty folder of its own if it is not told where."""

    def __init__(self, environment: Environment, work: Path) -> None:
        self.environment = environment
        self.done = 0
        self._work = work

    def folder(self) -> Path:
        """A new one, which is empty."""
        return Path(mkdtemp(dir=self._work))

    def run(self, command: str, says: str = "", cwd: Path | None = None, status: int = 0, answers: str = "") -> str:
        """Run a command, which must end with this status and print this; returns what it prints."""
        ended = self.environment.run(shlex.split(command, comments=True), cwd or self.folder(), answers)
        if ended.returncode != status or says not in " ".join(ended.stdout.split()):
            sys.exit(f"{command}: status {ended.returncode}, expected {status} and {says!r}\n{ended.stdout}")
        self.done += 1
        return ended.stdout

    def python(self, code: str, says: str = "") -> str:
        """Run Python code in the same way; warnings are errors."""
        return self.run(f"python -W error -c {shlex.quote(code)}", says)

    def ask(self, module: str, function: str) -> list[str]:
        """What a function of the package returns."""
        return json.loads(
            self.python(f"import json; from {module} import {function}; print(json.dumps(list({function}())))")
        )


def try_minimal(machine: Machine) -> None:
    """Without extras."""
    fences = FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    with step("examples of README.md (the rules are compiled)"):
        for language, text in fences:
            if language == "python":
                machine.python(text)
    with step("commands of README.md, and every command's help"):
        machine.run("ursuppe --version", "ursuppe-env ")
        machine.run("python -m ursuppe_env --help", "Usage: ursuppe")
        together(partial(run_lines, machine, text) for language, text in fences if language == "sh")
        commands = COMMAND.findall(machine.run("ursuppe --help"))
        together(partial(machine.run, f"ursuppe {name} --help", f"Usage: ursuppe {name}") for name in commands)
    with step("every agent, four at a table (most are compiled)"):
        names = machine.ask("ursuppe_agents", "agent_names")
        specs = [CODES.get(name, name) for name in names if name != "sb3"]  # which needs a model, and the extra train
        for first in range(0, len(specs), 4):
            record_game(machine, ",".join([*specs, *["random"] * 3][first : first + 4]))
    with step("every policy of the package"):
        policies = machine.ask("ursuppe_agents.policies.shipped", "default_policies")
        together(partial(try_policy, machine, name) for name in policies)
    with step("replay, play, cache, speed"):
        games = machine.folder()
        machine.run("ursuppe record --games 1 games.jsonl", cwd=games)
        together(
            [
                partial(machine.run, "ursuppe replay games.jsonl --svg svg", "pictures", games),
                partial(machine.run, "ursuppe replay games.jsonl", "the end", games),
                partial(machine.run, "ursuppe replay games.jsonl --html a.html", "positions", games),
                partial(machine.run, "ursuppe play --seed 1", answers="quit\n"),
                partial(machine.run, "ursuppe cache", "MB"),
                partial(machine.run, "ursuppe speed --quick --batch 1 --threads 1"),
            ]
        )
    with step("what needs an extra names it"):
        needing = {
            "train quick": "train",
            "evaluate policy:default": "train",
            "arena random greedy": "arena",
            "benchmark tasks": "arena",
            "balance editions": "balance",
            "balance ask income=12": "balance",
            "exploit hunter": "train",
            "web": "web",
            "analyse x.jsonl --agent search --out x": "arena",
            "export x.jsonl --out x": "arena",
        }
        together(
            partial(machine.run, f"ursuppe {command}", ADVICE.format(extra), status=2)
            for command, extra in needing.items()
        )


def try_extras(machine: Machine) -> None:
    """With what trains, compares and studies."""
    small = "--workers 1 --out out"
    with step("the server and its page"):
        machine.python(WEB, "a game has begun")
    with step("every preset, in small; its policy evaluated"):
        together(partial(try_preset, machine, name) for name in machine.ask("ursuppe_training.config", "preset_names"))
    with step("evaluate, exploit, arena, benchmark, analyse"):
        folder = machine.folder()
        machine.run("ursuppe record --games 1 game.jsonl", cwd=folder)
        analyse = f"ursuppe analyse game.jsonl --agent policy:default --player 0 --playouts 32 {small}"
        together(
            [
                partial(machine.run, analyse, "report.html", folder),
                partial(machine.run, f"ursuppe evaluate policy:default --games 8 {small}", "report.html"),
                partial(machine.run, "ursuppe exploit hunter --minutes 0.02 --games 8", "report.html"),
                partial(machine.run, f"ursuppe arena random grow --games 8 {small}", "report.html"),
                partial(machine.run, "ursuppe benchmark table ladder4-v1", "policy:default"),
            ]
        )
    with step("every study is read; one of each kind in small"):
        folder = machine.folder()
        (folder / "search.toml").write_text(SEARCH)
        together(
            [
                partial(machine.python, READ_STUDIES),
                partial(machine.run, f"ursuppe balance editions --games 4 {small}", "report.html"),
                partial(machine.run, f"ursuppe balance genes --games 4 {small}", "report.html"),
                partial(machine.run, f"ursuppe balance search.toml {small}", "report.html", folder),
                partial(machine.run, f"ursuppe balance ask price.speed=6 --games 2 {small}", "report.html"),
            ]
        )


def run_lines(machine: Machine, lines: str) -> None:
    """The commands of a block, one after the other in one folder; those of make are for the working tree."""
    folder = machine.folder()
    for line in lines.splitlines():
        if not line.startswith("make "):
            machine.run(line, cwd=folder)


def record_game(machine: Machine, specs: str, table: str = "") -> None:
    """Agents play a game."""
    command = f"ursuppe record --games 1 --agents {shlex.quote(specs)} {table} games.jsonl"
    machine.run(command, "games.jsonl: 1 game")


def try_preset(machine: Machine, name: str) -> None:
    """Train, go on with what is at its end, and evaluate."""
    folder = machine.folder()
    settings = " ".join(f"--set={setting}={shlex.quote(str(value))}" for setting, value in SMALL.items())
    machine.run(f"ursuppe train {name} {settings} --device cpu", f"policy: runs/{name}/best.zip", folder)
    machine.run(f"ursuppe train --resume runs/{name}", f"policy: runs/{name}/best.zip", folder)
    machine.run(f"ursuppe evaluate runs/{name} --games 4 --against random", "random", folder)


def try_policy(machine: Machine, name: str) -> None:
    """That of a number of players, or the one for the duel."""
    if name.isdecimal():
        record_game(machine, "policy:default", f"--players {name}")
    else:
        record_game(machine, f"policy:{name}", "--teams 0+2,1+3")


def together(checks: Iterable[Callable[[], object]]) -> None:
    """A few at a time; ends the program at the first that fails."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for future in [pool.submit(check) for check in checks]:
            future.result()


if __name__ == "__main__":
    main()
