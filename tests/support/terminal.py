"""``ursuppe`` at a pseudo-terminal, as a person sees it."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

COMMAND = Path(__file__).parents[2] / "ursuppe_command.py"


class Terminal:
    """The command with these arguments, begun in this folder; the terminal has so many columns and lines."""

    def __init__(self, *arguments: str | Path, folder: Path | None = None, columns: int = 200, lines: int = 60) -> None:
        self._own, theirs = pty.openpty()
        # As the terminal of its processes, so that Ctrl-C reaches them all.
        code = f"import os, runpy; os.login_tty(0); runpy.run_path({str(COMMAND)!r}, run_name='__main__')"
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": f"{columns}", "LINES": f"{lines}"}
        command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)

    def press(self, keys: str) -> None:
        os.write(self._own, keys.encode())

    def read(self, until: str | None, seconds: float = 100) -> str:
        """What is shown until this pattern is, for so many seconds, or to the end of the command; no escape codes."""
        shown, plain, deadline = b"", "", time.monotonic() + seconds
        while (until is None or not re.search(until, plain)) and (left := deadline - time.monotonic()) > 0:
            if select.select([self._own], [], [], min(left, 1))[0]:
                try:
                    shown += os.read(self._own, 65536)
                except OSError:  # the command has ended
                    break
                plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode(errors="replace"))
                plain = re.sub(r" *\r\n", "\n", plain)
        return plain

    def status(self) -> int:
        return self.process.wait(60)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._own)
