"""Virtual environments for what cannot be tried in that of the tests: they have what is installed into them alone.

Packages come in the versions of ``constraints.txt``. Which build of torch pip takes is for its settings to say, such as
``PIP_EXTRA_INDEX_URL`` (see the Makefile).
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "constraints.txt"


class Environment:
    """A new virtual environment, empty but for pip.

    Args:
        folder: to make; it must not exist.
        variables: for whatever runs in it, beside those of this process.
    """

    def __init__(self, folder: Path, **variables: str) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.folder = folder
        self._bin = folder / "bin"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        path = os.pathsep.join([str(self._bin), os.environ["PATH"]])
        self._variables = {**inherited, "VIRTUAL_ENV": str(folder), "PATH": path, **variables}

    def install(self, *requirements: str) -> None:
        """Install packages, or files of packages, with what they need.

        Raises:
            subprocess.CalledProcessError: pip failed; it has said why.
        """
        pip = [self._bin / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-c", CONSTRAINTS]
        subprocess.run([*pip, *requirements], env=self._variables, cwd=self.folder, check=True)

    def run(self, command: Sequence[str], cwd: Path, answers: str = "") -> subprocess.CompletedProcess[str]:
        """Run a program of this environment in a folder, with these answers on its standard input."""
        return subprocess.run(
            [self._bin / command[0], *command[1:]],
            cwd=cwd,
            env=self._variables,
            input=answers,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def megabytes(self) -> float:
        """What the installed packages take, without pip and setuptools."""
        (packages,) = self.folder.glob("lib/python*/site-packages")
        own = [folder for folder in packages.iterdir() if not folder.name.startswith(("pip", "setuptools", "pkg_res"))]
        files = [file for folder in own for file in [folder, *folder.rglob("*")] if file.is_file()]
        return sum(file.stat().st_size for file in files) / 1e6
