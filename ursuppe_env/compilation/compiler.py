"""How the rules are compiled: Numba's options and a cache that notices every edit.

Numba looks at the decorated function's own file alone, and after an edit elsewhere in the engine would run the old
code. The cache therefore lies in a folder named after a digest of all the engine's sources, and that of other packages'
compiled code, which calls the engine, in a folder below, named after a digest of its own.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba import config, types  # its names appear at run time
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from ursuppe_env.compilation import linking
from ursuppe_env.compilation.code_cache import CodeCache, cache_root, say

_PACKAGE = Path(__file__).resolve().parent.parent
_ROOMS = ("compilation", "rules", "observation")  # with code that is compiled, or decides what comes out
Announcement = tuple[str, int] | None  # what is compiled, in how many seconds
_KEPT_DIGESTS = 4  # editions of the same sources whose compiled code is kept, this one included

#: Numba's options. Nothing is allocated: without its reference counts the code is up to twice as fast.
_OPTIONS = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "boundscheck": None,
    "no_cfunc_wrapper": True,
}


def _digest(sources: Iterable[Path]) -> str:
    """Of the sources, and of what else decides what comes out of them."""
    digest = hashlib.sha256(f"{numba.__version__} {config.BOUNDSCHECK}".encode())
    for source in sorted(sources):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


CACHE_ROOT = cache_root()
CACHE = CACHE_ROOT / _digest(file for room in _ROOMS for file in (_PACKAGE / room).rglob("*.py"))


def cache_size() -> int:
    """Bytes of compiled code on disk, of all editions of the engine that are kept."""
    return sum(file.stat().st_size for file in CACHE_ROOT.rglob("*") if file.is_file())


def clear_cache() -> None:
    """Delete all compiled code of this package."""
    shutil.rmtree(CACHE_ROOT, ignore_errors=True)


class _Turn:
    """What this process compiles at the moment, under Numba's lock: a function and, within it, those that it calls."""

    def __init__(self) -> None:
        self.is_silent = False
        self._depth = 0
        self._has_begun = False
        self._said: set[str] = set()  # what was announced: more of the same is compiled sooner
        self._announced: tuple[str, float] | None = None  # what is compiled, and when that began

    def __enter__(self) -> None:
        self._depth += 1

    def begin(self, announcement: Announcement) -> None:
        """A function is compiled. The first one of a turn is announced on stderr, if it has a new announcement."""
        if not self._has_begun and announcement is not None and not self.is_silent:
            what, seconds = announcement
            if what not in self._said:
                say(f"compiling {what} for this computer, once: about {seconds} s; several times that while it is busy")
                self._said.add(what)
                self._announced = what, time.perf_counter()
        self._has_begun = True

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._depth -= 1
        if self._depth > 0:
            return
        self._has_begun = False
        if self._announced is not None and error is None:
            what, began = self._announced
            say(f"compiled {what} in {time.perf_counter() - began:.0f} s")
        self._announced = None


_TURN = _Turn()


def compile_silently() -> None:
    """From now on this process does not say what it compiles: its parent does."""
    _TURN.is_silent = True


def _widest(argument: Any) -> Any:
    """The type of an argument; of an integer with a sign, however small or constant, the largest."""
    plain = types.unliteral(argument)
    return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain


class _Function(CPUDispatcher):
    """A compiled function: Numba's dispatcher, but no two processes compile it at once."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How compiled code calls it: with the widest integers, so that it is compiled once for all of them."""
        return super().get_call_template(tuple(map(_widest, args)), kws)

    def compile(self, signature: Any) -> Any:
        """Load the code for these types of arguments from the cache, or compile it."""
        with global_compiler_lock, _TURN:
            try:
                entry = super().compile(signature)
            finally:
                self._cache.lock.release()
            arguments, _ = normalize_signature(signature)
            linking.remember(self.overloads[tuple(arguments)], self.py_func)
            return entry


class Compiler:
    """A decorator: the function is compiled when it is first called (not with ``NUMBA_DISABLE_JIT=1``).

    Args:
        folder: where the compiled code is kept; its name is the digest of the sources, beside it lie older editions.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._has_pruned = False
        with suppress(OSError):
            os.utime(folder)  # used lately: not among the first to be pruned

    def __call__(self, function: Callable[..., Any], announcement: Announcement = None) -> Callable[..., Any]:
        if config.DISABLE_JIT:
            return function
        compiled = _Function(function, targetoptions=dict(_OPTIONS))
        compiled._cache = CodeCache(function, self.folder, partial(self._begin, announcement))
        return compiled

    def announced(self, what: str, seconds: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator for functions that take long to compile: the waiting user is told.

        ``what`` in words that a player of the game understands; ``seconds`` on a machine that does nothing else.
        """
        return partial(self, announcement=(what, seconds))

    def _begin(self, announcement: Announcement) -> None:
        """A function is compiled: announce it, and forget, once, the code of all but the newest few editions."""
        _TURN.begin(announcement)
        if self._has_pruned:
            return
        self._has_pruned = True
        with suppress(OSError):  # another process may prune as well
            others = [beside for beside in self.folder.parent.iterdir() if beside.is_dir() and beside != self.folder]
            others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
            for folder in others[_KEPT_DIGESTS - 1 :]:
                shutil.rmtree(folder, ignore_errors=True)


def compiler_for(name: str, sources: Iterable[Path]) -> Compiler:
    """The decorator for compiled code outside the engine that calls it, such as an agent's.

    An edit of these sources, or of the engine's, compiles it anew; ``name`` is a folder's in the cache.
    """
    return Compiler(CACHE / name / _digest(sources))


#: Compiles a function of the engine.
compiled = Compiler(CACHE)
