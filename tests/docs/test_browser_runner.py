"""What `make test` says of the pages where there is no Chromium."""

import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).parents[2] / "tests" / "browser" / "run.py"


def test_without_chromium_a_line_says_what_is_left_out(tmp_path: Path):
    command = [sys.executable, RUNNER, "--install"]  # no apt-get either
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Left out: the pages in a browser, since there is no Chromium (apt-get install chromium)"
    ]
