"""A command that is interrupted from its terminal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def interrupted(arguments, *awaited):
    """What the command told on stderr, line by line, until Ctrl-C when these files were there."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from ursuppe_env.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not all(Path(path).exists() for path in awaited) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all
    out, error = process.communicate(timeout=60)  # not before all who hold the other ends have ended
    assert (process.returncode, out) == (130, "")
    return error.splitlines()
