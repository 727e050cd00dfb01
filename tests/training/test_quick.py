"""The main job in a few minutes."""

import pytest

from ursuppe_training import quick

from support.training import SMALL_OPTIONS


@pytest.fixture(autouse=True)
def _somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_quick_run_prints_its_win_rate_and_keeps_its_policy(tmp_path, capsys):
    for _ in range(2):  # the second one writes over the first
        assert quick.main(SMALL_OPTIONS, games=8) == 0
    printed = capsys.readouterr().out
    assert (tmp_path / quick.FOLDER / "evaluation.json").exists()
    assert "chance 25.0%" in printed
    assert "3 random" in printed
    assert f"policy: {quick.FOLDER}/best.zip" in printed


def test_the_quick_run_leaves_alone_what_is_no_run(tmp_path, capsys):
    thesis = tmp_path / quick.FOLDER / "thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("all of it")
    assert quick.main() == 2
    assert f"{quick.FOLDER} exists already; give another folder" in capsys.readouterr().err
    assert thesis.read_text() == "all of it"
