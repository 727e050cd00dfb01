"""The runner of `make integrations`, which runs the recipes for other libraries in environments of their own."""

import subprocess
import sys
from pathlib import Path

from integrations import run as runner

ROOT = Path(__file__).parents[2]
RUNNER = ROOT / "tests" / "integrations" / "run.py"


def test_each_library_has_a_page_and_tests_and_an_exact_version():
    pages = {page.stem for page in (ROOT / "docs" / "libraries").glob("*.md")}
    assert set(runner.LIBRARIES) == pages
    assert {"openspiel", "tianshou"} <= pages
    for library in pages:
        folder = RUNNER.parent / library
        assert (folder / f"test_{library}.py").is_file()
        lines = [line for line in (folder / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
        assert any("==" in line for line in lines)
        for name in (runner.name_of(line) for line in lines if "==" not in line):  # has the version of the constraints
            assert name == "ursuppe-env" or name in (ROOT / "constraints.txt").read_text()


def test_requirements_win_over_constraints():
    constraints = (
        '# a comment\nfilelock==4.2.11\nresvg_py==0.5.0\ntorch==2.13.0\ncolorama==0.4.6 ; sys_platform == "x"\n'
    )
    requirements = "tianshou==2.0.1\nFileLock==3.1 # a comment\nresvg-py[extra]==0.4\ntorch\n"
    left = runner.remaining_constraints(requirements, constraints).splitlines()
    assert left == ["# a comment", "torch==2.13.0", 'colorama==0.4.6 ; sys_platform == "x"']


def test_what_fails_does_not_keep_the_others_from_being_tested(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(runner, "LIBRARIES", ["one", "two", "three"])
    monkeypatch.setattr(runner, "install", lambda library: library != "one")
    monkeypatch.setattr(runner, "test", lambda library: seen.append(library) or library != "two")
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert runner.main() == 1
    assert seen == ["two", "three"]
    assert capsys.readouterr().out == "failed: one, two\n"
    monkeypatch.setattr(sys, "argv", ["run.py", "three"])
    assert runner.main() == 0


def test_an_environment_is_made_once_and_again_when_what_it_is_made_from_changes(monkeypatch, tmp_path):
    commands, works = [], True
    environment, requirements = tmp_path / "build" / "library", tmp_path / "library" / "requirements.txt"

    def do(what, command):
        """In place of `venv` and `pip`."""
        commands.append(what)
        (environment / "lib" / "python3" / "site-packages").mkdir(parents=True, exist_ok=True)
        return works

    def commands_to_install(text: str) -> int:
        requirements.write_text(text)
        commands.clear()
        assert runner.install("library") is works
        return len(commands)

    for name, folder in (("ROOT", tmp_path), ("HERE", tmp_path), ("BUILD", environment.parent)):
        monkeypatch.setattr(runner, name, folder)
    monkeypatch.setattr(runner, "do", do)
    requirements.parent.mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "constraints.txt").write_text("torch==2\nnumpy==2\n")
    assert commands_to_install("torch==1") == 2
    assert (tmp_path / "build" / "library.constraints.txt").read_text() == "numpy==2\n"
    assert commands_to_install("torch==1") == 0
    works = False
    assert commands_to_install("torch==3") == 1
    works = True
    assert commands_to_install("torch==3") == 2
    (tmp_path / "constraints.txt").write_text("torch==2\nnumpy==3\n")
    assert commands_to_install("torch==3") == 2


def test_a_library_that_does_not_exist_is_refused():
    done = subprocess.run([sys.executable, RUNNER, "gymnasium"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no library 'gymnasium'; there are " in done.stderr
