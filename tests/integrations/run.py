"""Do the recipes for other libraries run? Each library has an environment of its own, since their versions exclude one
another:

    python tests/integrations/run.py [NAME ...]

NAME is a folder here. What its requirements.txt names is installed into build/integrations/NAME, which is kept while
nothing of that changes. Packages that the environment of this Python has in a version that will do, ursuppe-env among
them, are taken from there. The tests in the folder run what docs/libraries/NAME.md shows.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "integrations"
LIBRARIES = sorted(file.parent.name for file in HERE.glob("*/requirements.txt"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Do the recipes for other libraries run?")
    parser.add_argument("libraries", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)} (default: all)")
    libraries = parser.parse_args().libraries or LIBRARIES
    for library in libraries:
        if library not in LIBRARIES:
            parser.error(f"there is no library {library!r}; there are {', '.join(LIBRARIES)}")
    failed = [library for library in libraries if not (install(library) and test(library))]
    if failed:
        print(f"failed: {', '.join(failed)}", flush=True)
    return 1 if failed else 0


def install(library: str) -> bool:
    """Make the library's environment, unless it is there and nothing of what it is made from has changed."""
    environment, requirements = BUILD / library, HERE / library / "requirements.txt"
    constraints = remaining_constraints(requirements.read_text(), (ROOT / "constraints.txt").read_text())
    made_from = (sys.version, sys.prefix, constraints, requirements.read_text(), (ROOT / "pyproject.toml").read_text())
    stamp, digest = environment / "made_from", hashlib.sha256("\0".join(made_from).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        print(f"{library}: {environment.relative_to(ROOT)} is up to date", flush=True)
        return True
    shutil.rmtree(environment, ignore_errors=True)
    environment.parent.mkdir(parents=True, exist_ok=True)
    constraints_file = environment.with_suffix(".constraints.txt")
    constraints_file.write_text(constraints)
    pip = [python_of(environment), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if not do(f"{library}: making {environment.relative_to(ROOT)}", [sys.executable, "-m", "venv", environment]):
        return False
    (packages,) = environment.glob("lib/**/site-packages")
    (packages / "shared.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    installed = do(f"{library}: installing", [*pip, "-c", constraints_file, "-r", requirements])
    if installed:
        stamp.write_text(digest)  # the last thing: an installation that was interrupted is begun anew
    return installed


def test(library: str) -> bool:
    return do(f"{library}: testing", [python_of(BUILD / library), "-m", "pytest", "-q", HERE / library])


def do(what: str, command: list[str | Path]) -> bool:
    """Run a command in the repository's folder; say what it does, and how long it took."""
    print(f"{what} ...", flush=True)
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, check=False)
    result = "done" if done.returncode == 0 else f"FAILED (exit status {done.returncode})"
    print(f"{what}: {result} in {time.monotonic() - start:.0f} s", flush=True)
    return done.returncode == 0


def remaining_constraints(requirements: str, constraints: str) -> str:
    """The constraints on everything but what the requirements give another version."""
    pinned = {name_of(line) for line in requirements.splitlines() if "==" in line}
    return "".join(f"{line}\n" for line in constraints.splitlines() if name_of(line) not in pinned)


def name_of(line: str) -> str:
    """The project that a line of requirements or constraints is about, in the form that compares; of others ""."""
    name = re.match(r"[\w.-]+", line)
    return re.sub(r"[-_.]+", "-", name[0]).lower() if name else ""


def python_of(environment: Path) -> Path:
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


if __name__ == "__main__":
    sys.exit(main())
