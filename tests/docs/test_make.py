"""The Makefile says what it does where it would be silent for long."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SILENT = ("-m mypy", "-m pytest", "pip install")


@pytest.mark.parametrize("command", SILENT)
def test_what_says_nothing_for_long_is_announced(command, tmp_path):
    arguments = ["make", "--dry-run", "--no-print-directory", "-C", ROOT, "test", f"VENV={tmp_path}"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    (place,) = (number for number, line in enumerate(lines) if command in line)
    assert lines[place - 1].startswith('echo "'), lines[place - 1]


def test_every_target_is_explained():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = (line for line in text.splitlines() if line.startswith(".PHONY:"))
    explained = subprocess.run(["make", "-C", ROOT, "help"], check=True, capture_output=True, text=True).stdout
    assert [name for name in phony.split()[1:] if name != "help" and f"make {name}" not in explained] == []
