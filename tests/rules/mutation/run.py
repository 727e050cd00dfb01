"""Does a test catch every mistake of ``mutations.py``? ``python tests/rules/mutation/run.py [--jobs 2] [NUMBER ...]``.

Each mutation is made in a copy of the project, whose scenario tests and golden games then run with the compiler off.
First the scenario tests run in a copy without any mistake: if they fail, nothing would be told by their failing.
Prints what survived; exit status 1 if anything did that is not explained in ``EQUIVALENT``.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.progress import track

from mutations import EQUIVALENT, MUTATIONS

ROOT = Path(__file__).resolve().parents[3]
COPIED = ("ursuppe_env", "tests/conftest.py", "tests/rules", "tests/support", "pyproject.toml")
GOLDEN = ("tests/rules/test_golden.py",)
#: Without what looks for the lines of the mutations, which fails with each of them.
SCENARIOS = ("tests/rules", f"--ignore={GOLDEN[0]}", "--ignore=tests/rules/test_mutations.py")
#: Whose scenarios are likely to catch a mistake in a module, where they have not its name.
LIKELY = {
    "deaths": "deaths_and_aggression",
    "displacement": "holding_and_tentacle",
    "genes": "purchase",
    "meals": "feeding",
    "state": "feeding",
}
MOST_SECONDS = 900


def is_caught(number: int) -> bool:
    """Does a test fail, or not come to an end, with this mutation?"""
    module, written, mistake = MUTATIONS[number]
    with tempfile.TemporaryDirectory() as folder:
        copy = _copied(Path(folder))
        [file] = (copy / "ursuppe_env" / "rules").rglob(f"{module}.py")
        text = file.read_text(encoding="utf-8")
        assert text.count(written) == 1, f"{module}: {written!r} stands {text.count(written)} times in it"
        file.write_text(text.replace(written, mistake), encoding="utf-8")
        likely = f"tests/rules/test_{LIKELY.get(module, module)}.py"
        return any(_fails(suite, copy) for suite in ((likely,), SCENARIOS, GOLDEN))


def _copied(folder: Path) -> Path:
    """The parts of the project that a mutation is tried in, copied into this folder."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    return folder


def _fails(suite: Sequence[str], copy: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *suite]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", type=int, nargs="*", help="only these mutations")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    numbers = arguments.numbers or range(len(MUTATIONS))
    with tempfile.TemporaryDirectory() as folder:
        if _fails(SCENARIOS, _copied(Path(folder))):
            parser.error("the tests fail without any mutation; mend them first")
    survived = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = track(pool.map(is_caught, numbers), "mutations", total=len(numbers))
        for number, is_dead in zip(numbers, results, strict=True):
            if not is_dead:
                survived.append(number)
                module, written, mistake = MUTATIONS[number]
                why = EQUIVALENT.get((module, written), "NOT EXPLAINED")
                print(f"{number} survived in {module}: {written!r} -> {mistake!r}: {why}", flush=True)
    print(f"{len(numbers) - len(survived)} of {len(numbers)} mutations caught")
    return int(any(MUTATIONS[number][:2] not in EQUIVALENT for number in survived))


if __name__ == "__main__":
    sys.exit(main())
