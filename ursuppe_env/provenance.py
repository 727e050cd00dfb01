"""Where results come from: the revision of the package, the versions of what it uses, and the machine."""

import os
import platform
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ursuppe_env.threads import available_cores


def provenance(distributions: Iterable[str] = ("numpy", "numba", "pettingzoo")) -> dict[str, Any]:
    """Revision, versions of these distributions (None: not installed), machine, and how busy it is."""
    commit, dirty = revision()
    return {
        "version": version("ursuppe-env"),
        "commit": commit,
        "dirty": dirty,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in distributions},
        "processor": processor(),
        "cores": available_cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def processor() -> str:
    """The processor's name, as far as the system tells."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def revision() -> tuple[str, bool]:
    """The commit that the package was checked out from, or "unknown", and whether its files differ from it."""
    if _git("ls-files", "--error-unmatch", "__init__.py") is None:  # an installed copy, perhaps inside another project
        return "unknown", False
    return _git("rev-parse", "--short=10", "HEAD") or "unknown", bool(_git("status", "--porcelain", "--", "."))


def _git(*arguments: str) -> str | None:
    """What git prints in the folder of the package; None if it fails."""
    folder = Path(__file__).parent
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
