"""The command ``ursuppe``, for which Ctrl-C is one line from its first moment on.

Importing the package takes a second, during which no code of its own could see to that: hence a module outside of it.
"""

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130


def main() -> None:
    """Import the command line, run it, and exit with its status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from ursuppe_env.cli import main as run_and_exit

    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run_and_exit()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: nothing has begun yet, and an exception might be swallowed by what is being imported."""
    sys.stderr.write("ursuppe: interrupted\n")
    sys.stderr.flush()
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
