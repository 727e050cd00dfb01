"""How the rules are compiled: Numba's options and a cache that notices every edit.

Numba keys its on-disk cache by the decorated function's own file alone, so that after an edit in another
module of the engine it would run the old code. The cache therefore lives in a folder named after a digest
of all the engine's sources. Other packages' compiled code that calls the engine has a folder below that one,
named after a digest of its own sources.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import config  # its names appear at run time

_PACKAGE = Path(__file__).resolve().parent.parent
_KEPT_DIGESTS = 4  # editions of the same sources whose compiled code is kept, this one included


def engine_sources() -> list[Path]:
    """The files whose text decides what the compiled engine does."""
    return list(_PACKAGE.glob("rules/*.py")) + [_PACKAGE / "observation.py", _PACKAGE / "kernels.py"]


def _digest(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """The user's NUMBA_CACHE_DIR or cache folder; a temporary one where neither can be written."""
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir()
    root = Path(base) / "ursuppe_env"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="ursuppe_env-"))
    if os.access(root, os.W_OK):
        return root
    return Path(tempfile.mkdtemp(prefix="ursuppe_env-"))


CACHE_ROOT = _cache_root()
CACHE = CACHE_ROOT / _digest(engine_sources())


def cache_size() -> int:
    """Bytes of compiled code on disk, of all editions of the engine that are kept."""
    return sum(file.stat().st_size for file in CACHE_ROOT.rglob("*") if file.is_file())


def clear_cache() -> None:
    """Delete all compiled code of this package."""
    shutil.rmtree(CACHE_ROOT, ignore_errors=True)


class Compiler:
    """A decorator: the function is compiled when it is first called (not with ``NUMBA_DISABLE_JIT=1``).

    Args:
        what: what is compiled, in words; for the user who waits for it.
        folder: where the compiled code is kept; its name is the digest of the sources, beside it lie older editions.
    """

    def __init__(self, what: str, folder: Path) -> None:
        self.folder = folder
        self._what = what
        self._has_announced = False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        previous = config.CACHE_DIR
        config.CACHE_DIR = str(self.folder)  # read when the function is decorated
        try:
            # Nothing is allocated in it: without Numba's reference counts it is up to twice as fast.
            return numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)
        finally:
            config.CACHE_DIR = previous

    def announce(self) -> None:
        """Say on stderr, once, that the first call will take a while, if nothing is in the cache yet."""
        if config.DISABLE_JIT or self._has_announced:
            return
        if any(self.folder.rglob("*.nbi")):
            os.utime(self.folder)  # used lately: not among the first to be pruned
            return
        self._has_announced = True
        self._prune()
        print(f"ursuppe_env: compiling {self._what}, once (less than a minute) ...", file=sys.stderr, flush=True)

    def _prune(self) -> None:
        """Forget the compiled code of all but the newest few editions."""
        beside = self.folder.parent
        others = [folder for folder in beside.iterdir() if folder.is_dir()] if beside.is_dir() else []
        others = [folder for folder in others if folder != self.folder]
        others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
        for folder in others[_KEPT_DIGESTS - 1 :]:
            shutil.rmtree(folder, ignore_errors=True)


def compiler_for(name: str, sources: Iterable[Path]) -> Compiler:
    """The decorator for compiled code outside the engine that calls it, such as an agent's.

    An edit of these sources, or of the engine's, compiles it anew.

    Args:
        name: of what is compiled; one word that is a folder's name in the cache.
        sources: the files whose text, together with the engine's, decides what the compiled code does.
    """
    return Compiler(name, CACHE / name / _digest(sources))


#: Compiles a function of the engine.
compiled = Compiler("the rules engine", CACHE)
announce_compilation = compiled.announce
