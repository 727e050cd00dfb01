"""Compiled code on disk: where it lies, that it is what was written, and whose turn it is to compile.

Numba's own cache believes what it reads: a damaged file is a traceback or, in the machine code, a crash. Here each
function has one sealed file. Writing fails without harm: the code is compiled again in the next process.
"""

import multiprocessing
import os
import pickle
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import platformdirs
from numba import config  # its names appear at run time
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.serialize import dumps

from ursuppe_env.compilation import linking
from ursuppe_env.files import sealed, unsealed

if sys.platform != "win32":
    import fcntl

_PATIENCE = 1.0  # seconds: a shorter wait is not announced
_GLANCE = 0.02  # seconds between two looks at a lock


def cache_root() -> Path:
    """The user's NUMBA_CACHE_DIR or cache folder; where it cannot be written, one among the temporary files."""
    root = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir()) / "ursuppe_env"
    with suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
    return root if os.access(root, os.W_OK) else _own_temporary_folder() or root


def _own_temporary_folder() -> Path | None:
    """The same for all processes of this user, and nobody else's: what lies there is run."""
    if sys.platform == "win32":
        return None
    with suppress(OSError):
        folder = Path(tempfile.gettempdir()) / f"ursuppe_env-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if is_own and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return folder
    return None


def say(line: str) -> None:
    """A line on stderr, for the user who waits."""
    print(f"ursuppe_env: {line}", file=sys.stderr, flush=True)


@cache
def _say_once(line: str) -> None:
    say(line)


class CodeFile:
    """The compiled code of one function: a sealed file of what Numba keeps in an index and data files.

    It has the stamp of the function's source, and the code for each key (the types of the arguments, the processor).
    """

    def __init__(self, path: Path, stamp: Any) -> None:
        self._path = path
        self._cache = path.parent.parent  # it has a folder for each package's modules
        self._stamp = stamp

    def load(self, key: Any) -> Any:
        """What was saved for the key; None: nothing, or it was damaged."""
        code = self._entries().get(key)
        return None if code is None else pickle.loads(code)

    def save(self, key: Any, data: Any) -> None:
        """Keep the data for the key; the file is the old one or the whole new one."""
        self._write({**self._entries(), key: dumps(data)})

    def flush(self) -> None:
        """Forget everything."""
        self._write({})

    def _entries(self) -> dict[Any, bytes]:
        try:
            content = unsealed(self._path.read_bytes())
        except OSError:
            return {}
        except ValueError:
            with suppress(OSError):
                self._path.unlink()
            _say_once(f"compiled code in {self._cache} is damaged; it is thrown away and compiled anew")
            return {}
        stamp, entries = pickle.loads(content)
        return entries if stamp == self._stamp else {}

    def _write(self, entries: dict[Any, bytes]) -> None:
        content = sealed(dumps((self._stamp, entries)))
        temporary = self._path.with_name(f"{self._path.name}.{uuid.uuid4().hex[:16]}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:  # not ``write_atomically``, which would wait for the disk each time
                temporary.write_bytes(content)
                os.replace(temporary, self._path)
            except BaseException:  # Ctrl-C too
                temporary.unlink(missing_ok=True)
                raise
        except OSError as error:
            _say_once(
                f"compiled code cannot be kept in {self._cache} ({error.strerror}); every process compiles it "
                "anew. NUMBA_CACHE_DIR can name another folder"
            )


class _Locator(UserProvidedCacheLocator):
    def ensure_cache_path(self) -> None:
        """Nothing: the folder is made when there is something to write."""


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)  # nowhere else: other places know nothing of our digests of the sources

    def reduce(self, result: Any) -> Any:
        """What is kept of a compiled function: its code, and which other code that needs."""
        return linking.needed_by(result), super().reduce(result)

    def rebuild(self, target_context: Any, kept: Any) -> Any:
        """The compiled function; None if code that it needs is not there under the same name any more."""
        needed, payload = kept
        if not all(symbol.is_found() for symbol in needed):
            return None
        linking.define(target_context, payload[1])
        return super().rebuild(target_context, payload)


class CodeCache(FunctionCache):
    """Numba's cache of one function, with a ``CodeFile`` in the folder.

    What is not in it this process compiles, after ``begin()``, while it holds the ``lock``; others wait for the code.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Any, folder: Path, begin: Callable[[], None]) -> None:
        previous = config.CACHE_DIR
        config.CACHE_DIR = str(folder)  # read by the locator
        try:
            super().__init__(function)
        finally:
            config.CACHE_DIR = previous
        self._function = function
        self._begin = begin
        place = Path(self._cache_path) / self._impl.filename_base
        self.lock = ProcessLock(place.with_name(f"{place.name}.lock"))
        self._cache_file = CodeFile(place.with_name(f"{place.name}.code"), self._impl.locator.get_source_stamp())

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled code; None: it must be compiled now."""
        found = super().load_overload(signature, target_context)
        if found is None:
            self.lock.acquire()
            found = super().load_overload(signature, target_context)  # another process may have compiled it meanwhile
        if found is None:
            self._begin()
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the function that was just compiled; its callers are compiled after this."""
        linking.link_by_name(result, self._function)
        super().save_overload(signature, result)


class ProcessLock:
    """A lock between processes, by a file; it ends with the process that holds it, however that dies.

    Without one (on Windows, or where the file cannot be made) processes that begin at the same time do the same work.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def acquire(self) -> None:
        """Take the lock, unless this process has it; where another one keeps it, say so after a while."""
        if self._file is not None or sys.platform == "win32":
            return
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
            deadline = time.monotonic() + _PATIENCE
            while time.monotonic() < deadline:
                with suppress(BlockingIOError):
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                time.sleep(_GLANCE)
            if multiprocessing.parent_process() is None:  # of a worker the parent speaks to the user
                _say_once("waiting for another process, which is compiling")
            fcntl.flock(self._file, fcntl.LOCK_EX)

    def release(self) -> None:
        """Give the lock back, if it was taken.

        Who waits for the file that is deleted here goes on, and whoever comes later takes another one: both look for
        the code first.
        """
        if self._file is not None and sys.platform != "win32":
            with suppress(OSError):
                self._path.unlink()
                fcntl.flock(self._file, fcntl.LOCK_UN)  # closing is not enough where a forked child has the file too
            self._file.close()
            self._file = None
