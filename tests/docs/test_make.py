"""The Makefile says what it does where it would be silent for long, and what it leaves out."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_says_nothing_for_long_is_announced(tmp_path):
    arguments = ["make", "--dry-run", "--no-print-directory", "-C", ROOT, "test", f"VENV={tmp_path}"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    for command in ("-m mypy", "-m pytest", "pip install"):
        (place,) = (number for number, line in enumerate(lines) if command in line)
        assert lines[place - 1].startswith('echo "'), lines[place - 1]


def test_every_target_is_explained():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = (line for line in text.splitlines() if line.startswith(".PHONY:"))
    explained = subprocess.run(["make", "-C", ROOT, "help"], check=True, capture_output=True, text=True).stdout
    assert [name for name in phony.split()[1:] if name != "help" and f"make {name}" not in explained] == []


def test_without_chromium_a_line_says_what_is_left_out(tmp_path):
    command = [sys.executable, ROOT / "tests" / "browser" / "run.py", "--install"]  # no apt-get either
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Left out: the pages in a browser, since there is no Chromium (apt-get install chromium)\n"
