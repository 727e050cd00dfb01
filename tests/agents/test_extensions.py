"""Commands that other packages add by entry points, also broken ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
NUMBER = 7

def hop():
    print("hopped")
"""

ENTRY_POINTS = """
[ursuppe.commands]
hop = frog:hop
limp = frog:leg
mute = no_such_module:croak
number = frog:NUMBER
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder where a distribution is installed that adds to ours, partly in vain."""
    (tmp_path / "frog.py").write_text(CODE)
    information = tmp_path / "frog_games-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: frog-games\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    return tmp_path


def test_what_is_broken_is_named_and_left_out_and_the_others_go_on(site: Path):
    code = "from ursuppe_env.cli import run; print(run(['hop']), run(['limp']))"
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "hopped\n0 2\n"
    limp, *others, refused = done.stderr.splitlines()
    assert limp.startswith("ursuppe: warning: limp of frog-games (ursuppe.commands) cannot be loaded: AttributeError: ")
    assert others == [
        "ursuppe: warning: mute of frog-games (ursuppe.commands) cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'",
        "ursuppe: warning: number of frog-games (ursuppe.commands) cannot be loaded: TypeError: 7 is no function",
    ]
    assert "No such command 'limp'" in refused
