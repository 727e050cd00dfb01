"""The example that learns from a data set what its players did."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from ursuppe_env.cli import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "behaviour_cloning.py"


def test_the_example_learns_to_play_from_a_data_set(tmp_path: Path):
    records, data = tmp_path / "games.jsonl.gz", tmp_path / "games"
    assert run(["record", "--games", "120", "--agents", "hunter", "--workers", "1", str(records)]) == 0
    assert run(["export", str(records), "--out", str(data), "--observations", "uint8"]) == 0
    command = [sys.executable, "-W", "error", str(EXAMPLE), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    agree, wins = re.findall(r"^([\d.]+)% of [\d,]+ decisions|^it wins (\d+) of 200 games", done.stdout, re.MULTILINE)
    assert float(agree[0]) > 50
    assert int(wins[1]) > 65  # a random player wins 50, and so many in less than one case of a hundred


def test_the_example_has_forty_lines_of_code():
    text = EXAMPLE.read_text(encoding="utf-8")
    module = ast.parse(text)
    begin = module.body[0].end_lineno  # of the docstring
    assert len([line for line in text.splitlines()[begin:] if line.strip()]) <= 40
