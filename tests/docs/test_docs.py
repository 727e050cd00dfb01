"""Every example and command of the README and the docs runs, with warnings as errors."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from itertools import pairwise
from pathlib import Path

import pytest
from charts import charts

from ursuppe_env import Ruleset, __version__, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.extras import MissingExtraError
from ursuppe_env.observation import observation_layout, observation_size
from ursuppe_lab.benchmark import task as tasks
from ursuppe_play.analysis import analysts
from ursuppe_training.exploit import finished_run, measuring, plan

from gallery import IMAGES, gallery
from generated_parts import PARTS, fill

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROSE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LIBRARIES = sorted((ROOT / "docs" / "libraries").glob("*.md"))


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


@pytest.fixture
def in_small(tmp_path_factory, monkeypatch):
    """Tasks of the benchmark play 10 seeds, the fewest that have intervals, in place of 100 or 200; analyses have as
    few play-outs; and two scripted agents are tried beside a best response, which is seldom evaluated."""
    folder = shutil.copytree(tasks._TASKS, tmp_path_factory.mktemp("benchmark") / "tasks")
    for file in folder.iterdir():
        file.write_text(re.sub(r"^seeds = \d+$", "seeds = 10", file.read_text(), flags=re.MULTILINE))
    monkeypatch.setattr(tasks, "_TASKS", folder)
    monkeypatch.setattr(analysts, "PLAYOUTS", 10)
    monkeypatch.setattr(analysts, "FEWEST_PLAYOUTS", 10)
    monkeypatch.setattr(measuring, "scripted_agents", lambda: ["grow", "hunter"])
    for module in (finished_run, plan):
        monkeypatch.setattr(module, "EVALUATION_GAMES", 4)


PAGES = [page for page in PROSE if {"python", "sh"} & dict(blocks(page)).keys()]


def test_examples_are_found():
    assert len(PAGES) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch, capsys, in_small):
    """In one folder, as its reader would: a block meets what those above it have left there.

    A block of the language ``output`` is what the one before it writes; ``...`` in it is anything. It runs as on a
    machine with one core, where commands do all their work in this process. Best responses are compared with no
    search, and where nobody compares what comes out, there are fewer trials of genes: both take long.
    """
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    loaded, written = set(sys.modules), ""
    for (language, text), (following, _) in pairwise([*blocks(page), ("", "")]):
        if language == "python":
            exec(compile(text, page.name, "exec"), {"__name__": "__main__"})
            written, said = capsys.readouterr()
            assert said == "", text
        elif language == "sh":
            is_compared = following == "output"
            text = re.sub("^ursuppe exploit", "\\g<0> --search ''", text)
            do_commands(text if is_compared else re.sub(r"(balance .*--games) \d+", r"\1 12", text))
            written, _ = capsys.readouterr()
        elif language == "output":
            assert OutputChecker().check_output(text, written, ELLIPSIS | NORMALIZE_WHITESPACE), written
    for name in set(sys.modules) - loaded:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):  # the page's own
            del sys.modules[name]


def do_commands(text: str) -> None:
    for line in text.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "make":  # what they run is tested elsewhere; here, that the targets exist
            subprocess.run(["make", "--dry-run", "-C", ROOT, *arguments], check=True, capture_output=True)
        else:
            assert program == "ursuppe"
            assert run(arguments) == 0, line


@pytest.mark.parametrize("page", LIBRARIES, ids=lambda page: page.name)
def test_examples_for_other_libraries_are_python(page: Path):
    """They need libraries that are not installed here: `make integrations` runs them."""
    for language, text in blocks(page):
        if language == "python":
            compile(text, "example", "exec")


def test_installation_is_from_the_folder_of_the_repository_on_all_pages():
    """The package is on no index; docs/index.md says so, and where the advice for extras that are missing works."""
    for page in PROSE + LIBRARIES:
        text = page.read_text(encoding="utf-8").replace("Its advice, `pip install 'ursuppe-env[train]'`", "")
        for what in re.findall(r"pip install (\S+)", text):
            assert re.match(r"\.|'\.\[|torch$", what), f"{page.name}: pip install {what}"


PYTHON = [text for page in PROSE for language, text in blocks(page) if language == "python"]


@pytest.mark.parametrize("example", [text for text in PYTHON if re.search("sb3_contrib|stable_baselines3", text)])
def test_examples_with_stable_baselines3_say_what_to_install(example: str, monkeypatch):
    absent = {"stable_baselines3", "sb3_contrib"}
    for name in list(sys.modules):
        if name.partition(".")[0] in absent or name == "ursuppe_env.envs.sb3":
            monkeypatch.delitem(sys.modules, name)
    for name in absent:
        monkeypatch.setitem(sys.modules, name, None)  # so that nobody finds it
    with pytest.raises(
        MissingExtraError, match=r" is not installed; install it with: pip install 'ursuppe-env\[train\]'$"
    ):
        exec(example, {"__name__": "__main__"})


def test_links_lead_somewhere():
    for page in PROSE + LIBRARIES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_generated_parts_are_up_to_date(page: Path):
    text = page.read_text(encoding="utf-8")
    assert fill(text) == text, "run: python docs/generated_parts.py"


def test_every_generated_part_stands_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in [*PROSE, *(ROOT / "docs" / "api").glob("*.md")])
    assert set(re.findall(r"<!-- generated: (\S+)", text)) == set(PARTS)


def test_the_pictures_are_up_to_date():
    pictures = gallery()
    assert {name: (IMAGES / name).read_text(encoding="utf-8") for name in pictures} == pictures, (
        "run: python docs/gallery.py"
    )
    assert len(pictures) == 6


def test_the_charts_are_up_to_date():
    drawn = charts()
    assert {name: (IMAGES / name).read_bytes() for name in drawn} == drawn, "run: python -m docs.charts"
    assert len(drawn) == 3


def test_a_generated_part_replaces_what_stood_there():
    page = "before\n<!-- generated: sizes -->\nold\n<!-- end -->\nafter\n"
    filled = fill(page)
    assert filled.startswith("before\n<!-- generated: sizes -->\n\n| players P |")
    assert filled.endswith("\n\n<!-- end -->\nafter\n")
    assert "old" not in filled
    assert fill(filled) == filled


def test_a_part_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="there is no generated part 'sises'; known are sizes, "):
        fill("<!-- generated: sises -->\n<!-- end -->")


def test_the_sizes_in_the_docs_are_those_of_the_spaces():
    for players in range(3, 7):
        env = ursuppe_v0.env(num_players=players)
        actions, numbers = env.action_space("player_0").n, env.observation_space("player_0")["observation"].shape[0]
        assert f"\n| {players} | {actions} | {numbers} |\n" in PARTS["sizes"]() + "\n"


def test_texts_name_the_size_of_an_observation_as_it_is():
    size = observation_size(4)
    for page, text in (
        ("docs/performance.md", f"(N, {size}) float32"),
        ("docs/performance.md", f"| observation size | **{size}** numbers |"),
        ("notebooks/01_quickstart.ipynb", f"as numbers, {size} of them with four players"),
    ):
        assert text in (ROOT / page).read_text(encoding="utf-8")


def test_the_observation_page_names_every_part():
    parts = (ROOT / "docs" / "observation.md").read_text(encoding="utf-8").partition("## The parts")[2]
    assert set(re.findall(r"`(\w+)`", parts.partition("## ")[0])) == set(observation_layout(4))


def test_a_ruleset_takes_the_limits_in_the_docs_and_nothing_beyond():
    for field, low, high in re.findall(
        r"^\| `(\w+)` \| .+ \| (\d+) … (\d+) \| .+ \|$", PARTS["ruleset-fields"](), re.M
    ):
        if field == "amoebas":  # needs other amoeba_places too
            continue
        more = {"start_food": 0} if field == "cubes" else {"cubes": 120} if field == "start_food" else {}
        assert getattr(Ruleset(**{**more, field: int(low)}), field) == int(low)
        with pytest.raises(ValueError, match=field):
            Ruleset(**{**more, field: int(low) - 1})
        with pytest.raises(ValueError, match=field):
            Ruleset(**{**more, field: int(high) + 1})


def test_the_version_to_cite_is_this_one():
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8"), (ROOT / "docs/citing.md").read_text(encoding="utf-8")
    assert [re.findall(r"version\W+(\d[\d.]*)", text) for text in cited] == [["1.2.0", __version__], [__version__]]
