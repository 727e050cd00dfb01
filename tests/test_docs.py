"""Every example and command of the README and the docs runs, with warnings as errors."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ursuppe_env.cli import run
from ursuppe_env.tables import PAGES

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list:
    return [
        pytest.param(text, id=f"{page.name}-{number}")
        for page in PROSE
        for number, (found, text) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")))
        if found == language
    ]


def test_examples_are_found():
    assert len(blocks("python")) >= 2
    assert len(blocks("sh")) >= 2


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples(code: str, tmp_path: Path):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("commands", blocks("sh"))
def test_commands(commands: str, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for line in commands.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "make":  # what they run is tested elsewhere; here, that the targets exist
            subprocess.run(["make", "--dry-run", "-C", ROOT, *arguments], check=True, capture_output=True)
        else:
            assert program == "ursuppe"
            assert run(arguments) == 0, capsys.readouterr().err


def test_links_lead_somewhere():
    for page in PROSE:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_up_to_date(name: str):
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == PAGES[name](), "run: python -m ursuppe_env.tables docs"


def test_every_package_is_installed():
    """setuptools installs the packages that pyproject.toml lists, and no others."""
    import tomllib

    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    folders = {"ursuppe_env": "ursuppe_env", "agents": "ursuppe_agents", "training": "ursuppe_training"}
    found = {
        ".".join([name, *init.parent.relative_to(ROOT / folder).parts])
        for folder, name in folders.items()
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert listed == found
