"""Files and folders that appear whole or not at all.

What is being written lies beside its place, as ``.ursuppe-RANDOM.unfinished``. It takes its own name when it is
complete, and goes when that fails, also by Ctrl-C. What a killed process leaves is removed by the next one that writes
into the same folder: the writer holds a lock, which the system releases with the process. A process that ends itself at
once, as a worker does whose parent is gone, calls ``remove_unfinished`` before.

Bytes may have a seal behind them, against damage and not forgery: what reads a file rarely notices that one flipped bit
makes a weight of 0.1 one of 1e36. It is the last line: ``sha256:``, and 64 hexadecimal digits over all before it.
"""

import hashlib
import io
import os
import secrets
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

if sys.platform != "win32":
    import fcntl

_LABEL = b"\nsha256:"
SEAL_LENGTH = len(_LABEL) + 2 * hashlib.sha256().digest_size + 1  # bytes

_PREFIX, _SUFFIX = ".ursuppe-", ".unfinished"
_unfinished: set[Path] = set()  # what this process is writing
_beginning = threading.Lock()  # to write


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, and its folder; a reader finds the old content or all of the new. An ``OSError`` names the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write(content)


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to be written bit by bit, that takes its name at the end of the block. An ``OSError`` names the file."""
    with (
        _at_the_end(path, lambda unfinished: unfinished.touch(exist_ok=False)) as unfinished,
        io.BufferedWriter(_Named(unfinished, path)) as file,
    ):
        yield file
        file.flush()
        with _naming(path):
            os.fsync(file.fileno())


@contextmanager
def atomic_folder(path: Path, replaces: bool = False) -> Iterator[Callable[[str, bytes], None]]:
    """A new folder that takes its name at the end of the block; the function yielded writes a file into it, by name
    (``file`` or ``folder/file``). With ``replaces`` a folder that is there is removed then. An ``OSError`` names what.
    """
    with _at_the_end(path, Path.mkdir) as unfinished:

        def write(name: str, content: bytes) -> None:
            with _naming(path / name):
                (unfinished / name).parent.mkdir(parents=True, exist_ok=True)
                with (unfinished / name).open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())

        yield write
        with _naming(path):
            sync_folder(unfinished)
            if replaces and path.exists():
                shutil.rmtree(os.path.realpath(path))


def is_empty(folder: Path) -> bool:
    """Is there nothing in this folder but what killed processes have left? That is removed."""
    _remove_leftovers(folder)
    return not any(folder.iterdir())


def sync_folder(path: Path) -> None:
    """See that the names in a folder are on the disk."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_unfinished() -> None:
    """Remove what this process is writing; it ends with the next line, and until then it begins nothing more."""
    _beginning.acquire()  # and never released
    for unfinished in list(_unfinished):  # other threads go on meanwhile
        _remove(unfinished)


@contextmanager
def _at_the_end(path: Path, make: Callable[[Path], Any]) -> Iterator[Path]:
    """A place to write at, which is moved to ``path`` at the end of the block, or removed where that fails.

    A symbolic link stays, and leads to what is new.
    """
    target = Path(os.path.realpath(path))
    with _naming(path):
        _remove_leftovers(target.parent)
        with _beginning:
            unfinished, lock = _claimed_place(target.parent, make)
            _unfinished.add(unfinished)
    try:
        yield unfinished
        with _naming(path):
            os.replace(unfinished, target)
    except BaseException:  # Ctrl-C too
        _remove(unfinished)
        raise
    finally:
        _unfinished.discard(unfinished)
        if lock is not None:
            os.close(lock)


def _claimed_place(folder: Path, make: Callable[[Path], Any]) -> tuple[Path, int | None]:
    """A new file or folder with a name of its own, and its lock."""
    while True:
        unfinished = folder / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
        make(unfinished)
        try:
            lock = _lock(unfinished)
        except BlockingIOError:  # somebody takes it for a leftover, which it looks like until it has its lock
            continue
        if unfinished.exists():
            return unfinished, lock
        if lock is not None:
            os.close(lock)


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes have left in a folder: what is not finished, and nobody's."""
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        names += [entry.name for entry in entries if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX)]
    for name in names:
        with suppress(BlockingIOError):
            lock = _lock(folder / name)
            if lock is not None:
                _remove(folder / name)
                os.close(lock)


def _lock(path: Path) -> int | None:
    """A descriptor that holds the lock of a file or folder as long as it is open; ``BlockingIOError``: another has it.

    None where the system or the file system knows no locks, or the file cannot be opened: then nothing is removed.
    """
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return descriptor


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


class _Named(io.FileIO):
    """A file whose errors name the file that it is to become: of a full disk the system tells no name."""

    def __init__(self, unfinished: Path, path: Path) -> None:
        super().__init__(unfinished, "w")
        self._path = path

    def write(self, content: Any) -> int:
        with _naming(self._path):
            return super().write(content)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """System errors in the block name this file or folder."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def sealed(content: bytes) -> bytes:
    """The content with its seal behind it."""
    return content + _seal_of(content)


def unsealed(data: bytes) -> bytes:
    """The content in what ``sealed`` gave; ``ValueError``: it is damaged, or was never sealed."""
    content, seal = data[:-SEAL_LENGTH], data[-SEAL_LENGTH:]
    if len(seal) < SEAL_LENGTH or not seal.startswith(_LABEL):
        raise ValueError("it does not end with its digest: it was cut off, or is something else")
    if seal != _seal_of(content):
        raise ValueError("its content does not have the digest that stands behind it")
    return content


def _seal_of(content: bytes | memoryview) -> bytes:
    return _LABEL + hashlib.sha256(content).hexdigest().encode() + b"\n"
