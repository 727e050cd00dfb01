"""A small process between a host and its bot, so that no bot outlives its host: run as a script, without the package.

``python supervisor.py FD COMMAND...`` runs the command with its own input and outputs, and ends with its status. The
descriptor is the end of a pipe whose other end only the host holds. When that is closed, because the host has died in
whatever way, the bot has a moment to notice the end of its input. Then everything in the process group of this script
is killed: it, the bot, and what the bot has started.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from typing import NoReturn

_GRACE = 1.0  # seconds in which the bot may end by itself
_CANNOT_RUN = 126
_BY_SIGNAL = 128  # + its number: how shells tell


def _end_with_host(descriptor: int) -> None:
    os.read(descriptor, 1)
    time.sleep(_GRACE)
    os.killpg(0, signal.SIGKILL)


def main(descriptor: int, command: list[str]) -> NoReturn:
    """Run the command as long as the host is there."""
    os.set_inheritable(descriptor, False)
    threading.Thread(target=_end_with_host, args=(descriptor,), daemon=True).start()
    try:
        with subprocess.Popen(command) as bot:
            for stream in (0, 1):  # the ends are the bot's alone: when it closes one, the host notices
                os.close(stream)
            status = bot.wait()
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(_CANNOT_RUN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)  # what it has left running
    os._exit(status if status >= 0 else _BY_SIGNAL - status)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
