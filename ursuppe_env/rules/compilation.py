"""How the rules are compiled: Numba's options and a cache that notices every edit.

Numba keys its on-disk cache by the decorated function's own file alone, so that after an edit in another
module of the engine it would run the old code. The cache therefore lives in a folder named after a digest
of all the engine's sources.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import config  # its names appear at run time

_PACKAGE = Path(__file__).resolve().parent.parent
_KEPT_DIGESTS = 4  # editions of the engine whose compiled code is kept, this one included


def engine_sources() -> list[Path]:
    """The files whose text decides what the compiled engine does."""
    return sorted(_PACKAGE.glob("rules/*.py")) + [_PACKAGE / "observation.py", _PACKAGE / "kernels.py"]


def _digest() -> str:
    digest = hashlib.sha256()
    for source in engine_sources():
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
CACHE = CACHE_ROOT / _digest()


def _prune() -> None:
    """Forget the compiled code of all but the newest few editions of the engine."""
    others = [folder for folder in CACHE_ROOT.iterdir() if folder.is_dir() and folder != CACHE]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_DIGESTS - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def cache_size() -> int:
    """Bytes of compiled code on disk, of all editions of the engine that are kept."""
    return sum(file.stat().st_size for file in CACHE_ROOT.rglob("*") if file.is_file())


def clear_cache() -> None:
    """Delete all compiled code of this package."""
    shutil.rmtree(CACHE_ROOT, ignore_errors=True)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function of the engine when it is first called (not with ``NUMBA_DISABLE_JIT=1``)."""
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE)  # read when the function is decorated
    try:
        # The engine allocates nothing: without Numba's reference counts it is up to twice as fast.
        return numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(function)
    finally:
        config.CACHE_DIR = previous


def announce_compilation() -> None:
    """Say on stderr that the first call will take a while, if nothing is in the cache yet."""
    if config.DISABLE_JIT:
        return
    if any(CACHE.rglob("*.nbi")):
        os.utime(CACHE)  # used lately: not among the first to be pruned
        return
    if CACHE_ROOT.is_dir():
        _prune()
    print("ursuppe_env: compiling the rules engine, once (less than a minute) ...", file=sys.stderr, flush=True)
