"""Is this commit faster or slower than its parent? Both are measured in one run, by turns, on one machine.

    python benchmarks/compare.py                    # HEAD against its parent
    python benchmarks/compare.py v0.1.0 main        # main against v0.1.0
    python benchmarks/compare.py HEAD .             # the working tree as it is against HEAD

Each revision is checked out into a temporary git worktree, compiled into a temporary cache, and measured in fresh
processes of this interpreter; the measuring code is this tree's, the package measured is the revision's. The ratio of
a figure is above 1 where the later revision is faster. Ratios of the same repetition are compared with each other, so
that what slows the whole machine for a while slows both.

Exit status: 0, also if figures differ; 1 if something breaks, or if with ``--fail-below RATIO`` a figure's ratio is
below it in *every* repetition (once is noise); 2 for wrong arguments.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
MEASURING = ROOT / "ursuppe_env" / "bench"
WORKING_TREE = "."
BATCHES = (1, 64, 4096)


class Broken(Exception):
    """A revision cannot be compared; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two revisions, print a line for each figure, and return the exit status."""
    options = parse(arguments)
    if options.measure:
        print(json.dumps(measure(Path(options.measure))))
        return 0
    try:
        ratios = compare(options.base, options.head, options.repetitions)
    except Broken as reason:
        print(f"compare: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("compare: interrupted", file=sys.stderr)
        return 130
    return report(ratios, options.base, options.head, options.fail_below)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__.partition("\n")[0])
    parser.add_argument("base", nargs="?", help="the earlier revision (default: the parent of HEAD)")
    parser.add_argument("head", nargs="?", default="HEAD", help="the later one, or . for the working tree")
    parser.add_argument("--repetitions", type=int, default=5, help="processes for each revision (default: %(default)s)")
    parser.add_argument("--fail-below", type=float, metavar="RATIO", help="exit with 1 if a figure is always below it")
    parser.add_argument("--measure", metavar="FOLDER", help=argparse.SUPPRESS)  # what the processes do
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error(f"--repetitions is {options.repetitions}; it must be at least 1")
    options.base = options.base or "HEAD^"
    return options


# ---------------------------------------------------------------------- in the processes


def measure(folder: Path) -> dict[str, float]:
    """Figures of the package in this folder, decisions/s; short, since there are several processes."""
    import ursuppe_env

    if not Path(ursuppe_env.__file__).resolve().is_relative_to(folder.resolve()):
        raise SystemExit(f"measured {ursuppe_env.__file__} instead of {folder}")
    measuring = this_trees_measuring()
    effort = measuring.Effort(repetitions=3, decisions=500_000, calls=4_000, starts=1)
    figures = [figure for batch in BATCHES for figure in measuring.measure_batch(batch, [1], effort)]
    figures += measuring.measure_aec(effort)
    return {
        figure.name if figure.batch is None else f"{figure.name}, {figure.batch:,} games": figure.median
        for figure in figures
    }


def this_trees_measuring() -> ModuleType:
    """``ursuppe_env.bench`` of this tree, in the place of that of the package measured, if that has one."""
    name = "ursuppe_env.bench"
    spec = importlib.util.spec_from_file_location(name, MEASURING / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    measuring = importlib.util.module_from_spec(spec)
    sys.modules[name] = measuring  # so that its modules find each other, and not those of the package measured
    spec.loader.exec_module(measuring)
    return measuring


# ---------------------------------------------------------------------- around them


def compare(base: str, head: str, repetitions: int) -> dict[str, list[float]]:
    """The ratios head / base of each figure, one for each repetition.

    Raises:
        Broken: a revision does not exist, or does not run.
    """
    with tempfile.TemporaryDirectory(prefix="ursuppe-compare-") as temporary:
        folders = {}
        try:
            for name, revision in (("base", base), ("head", head)):
                folders[name] = check_out(revision, Path(temporary) / name)
            for name, folder in folders.items():
                say(f"compiling {base if name == 'base' else head}")
                run(folder, Path(temporary), compile_only=True)
            ratios: dict[str, list[float]] = {}
            for repetition in range(repetitions):
                say(f"repetition {repetition + 1} of {repetitions}")
                order = list(folders) if repetition % 2 == 0 else list(folders)[::-1]
                measured = {name: run(folders[name], Path(temporary)) for name in order}
                for figure, value in measured["base"].items():
                    ratios.setdefault(figure, []).append(measured["head"][figure] / value)
            return ratios
        finally:
            for folder in folders.values():
                if folder != ROOT:
                    git("worktree", "remove", "--force", str(folder))


def check_out(revision: str, folder: Path) -> Path:
    """A folder with the files of the revision."""
    if revision == WORKING_TREE:
        return ROOT
    if git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").returncode:
        shallow = git("rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        raise Broken(f"there is no revision {revision}" + (" in this shallow clone; fetch more of it" * shallow))
    done = git("worktree", "add", "--detach", str(folder), revision)
    if done.returncode:
        raise Broken(f"git worktree add {revision}: {done.stderr.strip()}")
    return folder


def run(folder: Path, temporary: Path, compile_only: bool = False) -> dict[str, float]:
    """Measure the package in this folder in a fresh process."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(temporary / f"cache-{folder.name}")}
    code = ["-c", COMPILE] if compile_only else [str(Path(__file__).resolve()), "--measure", str(folder)]
    done = subprocess.run(
        [sys.executable, "-P", *code], cwd=temporary, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Broken(f"{folder.name} does not run:\n{done.stderr.strip()}")
    return {} if compile_only else json.loads(done.stdout)


COMPILE = """
import numpy as np
from ursuppe_env import Games
games = Games(1)
games.observe()
games.step([np.flatnonzero(games.legal()[0])[0]])
games.step_random()
games.copy(reseed=0).play_random()
"""


def report(ratios: dict[str, list[float]], base: str, head: str, fail_below: float | None) -> int:
    """Print the ratios; returns the exit status."""
    width = max(map(len, ratios))
    print(f"speed of {head} / speed of {base}: median (smallest-largest) of {len(next(iter(ratios.values())))}")
    slower = []
    for figure, values in ratios.items():
        below = fail_below is not None and max(values) < fail_below
        slower += [figure] * below
        note = f"  below {fail_below:g} every time" if below else ""
        print(f"{figure:{width}}  {median(values):5.2f}  ({min(values):.2f}-{max(values):.2f}){note}")
    return 1 if slower else 0


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in this repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def say(text: str) -> None:
    """A line of progress on stderr."""
    print(f"compare: {text} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
