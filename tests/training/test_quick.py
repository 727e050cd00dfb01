"""The main job in a few minutes."""

import pytest

from ursuppe_training import quick

from support.training import TINY


def test_the_quick_run_prints_its_win_rate_and_keeps_its_policy(tmp_path, capsys):
    folder = tmp_path / "quick"
    for _ in range(2):  # the second one writes over the first
        quick.run(TINY, folder, num_games=40)
    printed = capsys.readouterr().out
    assert (folder / "evaluation.json").exists()
    assert "chance 25.0%" in printed
    assert "3 random" in printed
    assert str(folder / "best.zip") in printed


def test_the_quick_run_leaves_alone_what_is_no_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thesis = tmp_path / "runs" / "quick" / "thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("all of it")
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"{quick.FOLDER} exists already; give another folder, or continue it with --resume {quick.FOLDER}\n"
    )
    assert thesis.read_text() == "all of it"


def test_the_quick_run_ends_in_one_line_when_interrupted(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(quick, "run", interrupted)
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.count("\n") == 1
