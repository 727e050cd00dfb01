"""The process of a bot, and the lines to and from it: nothing here knows what they mean.

Three threads serve it, so that no bot can hold up its host, whatever it writes or does not read: one writes, one reads
lines, one drains stderr. All are limited: a line, the lines that nobody asked for, the bytes on stderr. Where there are
process groups (not on Windows), a small process in between (``supervisor.py``) ends the bot with its host.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from ursuppe_env.line import in_one_line

#: Bytes in a line of a bot; the answers to a thousand decisions, with comments, have some hundred thousand.
LONGEST_LINE = 1 << 20
MOST_LINES = 1000  # of a bot, that nobody has read yet
MOST_ON_STDERR = 1 << 24  # bytes, between two lines that are read

_CHUNK = 1 << 16
_WORDS = 300  # characters of stderr that an error repeats
_GRACE = 1.0  # seconds in which a bot may end by itself
_BEGINNING = 40  # bytes of a line that an error repeats
_BY_SIGNAL = 128
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_HAS_GROUPS = sys.platform != "win32"


class PipeError(Exception):
    """The process cannot be talked to any more; the message says what it did."""


def program_of(command: str) -> list[str]:
    """The program and its arguments in a command as a shell has it; no shell sees it.

    Raises:
        ValueError: a quotation mark is not closed, or there is no such program.
    """
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} is not one: {error}") from None
    if not arguments:
        raise ValueError(f"the command is {command!r}; it must name a program, such as 'python bot.py'")
    if shutil.which(arguments[0]) is None:
        raise ValueError(f"there is no program {arguments[0]!r}, which the command {command!r} begins with")
    return arguments


class Pipe:
    """The running process of a command; its standard input and output are lines.

    Raises:
        ValueError: there is no such program.
        OSError: the system cannot start another process.
    """

    def __init__(self, command: str) -> None:
        self._alive: int | None = None
        self._process = self._start(program_of(command))
        self._written: SimpleQueue[bytes | None] = SimpleQueue()
        self._read: SimpleQueue[bytes | PipeError | None] = SimpleQueue()
        self._last_words: deque[bytes] = deque(maxlen=2)
        self._on_stderr = 0
        self.ended: PipeError | None = None  # once it is known that it can be talked to no more
        process = self._process
        works = (self._write_lines, process.stdin), (self._read_lines, process.stdout), (self._drain, process.stderr)
        threads = [threading.Thread(target=work, args=(stream,), daemon=True, name=command) for work, stream in works]
        *_, self._drainer = threads
        for thread in threads:
            thread.start()

    def send(self, line: bytes) -> None:
        """Write a line, or several, each with its end; returns at once."""
        self._written.put(line)

    def receive(self, seconds: float) -> bytes | None:
        """The next line, without its end; None if there is none within so many seconds.

        Raises:
            PipeError: the process has ended, or has written more than it may. It is stopped.
        """
        if self.ended is None:
            try:
                line = self._read.get(timeout=max(0.0, seconds))
            except Empty:
                return None
            if isinstance(line, bytes):
                self._on_stderr = 0
                return line
            self.ended = PipeError(self._how_it_ended()) if line is None else line
            self.stop()
        raise self.ended

    def stop(self, grace: float = 0.0) -> bool:
        """End the process and what it has started; did it end by itself, within so many seconds after its input?"""
        self._written.put(None)
        did = True
        try:
            self._process.wait(grace)
        except subprocess.TimeoutExpired:
            did = False
            if sys.platform == "win32" or self._alive is None:
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None
        return did

    def _start(self, arguments: list[str]) -> "subprocess.Popen[bytes]":
        options: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        if not (_HAS_GROUPS and sys.executable):
            return subprocess.Popen(arguments, bufsize=0, **options)
        waited_for, self._alive = os.pipe()
        # Ctrl-C is for the host, which ends the bot in its own way: hence a session of its own.
        options |= {"pass_fds": [waited_for], "start_new_session": True}
        supervised = [sys.executable, "-I", "-S", str(_SUPERVISOR), str(waited_for), *arguments]
        try:
            return subprocess.Popen(supervised, bufsize=0, **options)
        except OSError:
            os.close(self._alive)
            raise
        finally:
            os.close(waited_for)

    def _how_it_ended(self) -> str:
        """In words, with the last ones of its own."""
        try:
            status = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return f"closed its output{self._in_its_words()}"
        self._drainer.join(_GRACE)  # until its last words are there
        number = -status if status < 0 else status - _BY_SIGNAL
        by_signal = f" ({signal.Signals(number).name})" if number in set(signal.Signals) else ""
        return f"ended with the status {status}{by_signal}{self._in_its_words()}"

    def _in_its_words(self) -> str:
        words = b"".join(self._last_words).decode(errors="replace").strip()
        return f"; on stderr it said: {in_one_line(words[-_WORDS:])}" if words else ""

    def _write_lines(self, stdin: IO[bytes]) -> None:
        with suppress(OSError), stdin:  # whether it is still there shows where it is read from
            while (line := self._written.get()) is not None:
                left = memoryview(line)
                while left:
                    left = left[stdin.write(left) :]

    def _read_lines(self, stdout: IO[bytes]) -> None:
        rest = b""
        with stdout:
            while chunk := stdout.read(_CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                longest = max((*lines, rest), key=len)
                if len(longest) > LONGEST_LINE:
                    what = f"a line of more than {LONGEST_LINE:,} bytes, which begins {_beginning(longest)}"
                elif self._read.qsize() + len(lines) > MOST_LINES:
                    what = f"more than {MOST_LINES:,} lines that nobody asked for, such as {_beginning(longest)}"
                else:
                    for line in lines:
                        self._read.put(line)
                    continue
                self._read.put(PipeError(f"wrote {what}"))
                return
        self._read.put(None)

    def _drain(self, stderr: IO[bytes]) -> None:
        with stderr:
            while chunk := stderr.read(_CHUNK):
                self._last_words.append(chunk)
                self._on_stderr += len(chunk)
                if self._on_stderr > MOST_ON_STDERR:
                    what = f"wrote more than {MOST_ON_STDERR:,} bytes to stderr"
                    self._read.put(PipeError(f"{what}{self._in_its_words()}"))
                    return


def _beginning(line: bytes) -> str:
    return repr(line[:_BEGINNING].decode(errors="replace"))
