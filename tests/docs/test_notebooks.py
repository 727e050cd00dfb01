"""The notebooks run, and what they have saved is what a run gives."""

import base64
import io
import re
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from ursuppe_training.config import TrainingConfig, read_config

from support.notebooks import NOTEBOOKS, differences, execute, noise

LARGEST = 400_000  # bytes

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def with_outputs(*outputs: NotebookNode) -> NotebookNode:
    return new_notebook(cells=[new_code_cell(outputs=list(outputs))])


def printed(text: str, name: str = "stdout") -> NotebookNode:
    return new_output("stream", name=name, text=text)


def drawn(pixels: np.ndarray) -> NotebookNode:
    """A picture as Matplotlib's are saved."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return new_output("display_data", {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": "x"})


def test_notebooks_are_found():
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{number:02}" for number in range(1, 9)]


@each_notebook
def test_what_is_saved_is_what_a_run_gives(path: Path):
    executed = execute(path)
    assert list(noise(executed)) == []
    assert list(differences(read(path), executed)) == [], "run: make notebooks"


@each_notebook
def test_a_notebook_is_small_and_words_stand_before_each_cell_of_code_whose_links_lead_somewhere(path: Path):
    assert path.stat().st_size < LARGEST
    cells = read(path).cells
    kinds = [cell.cell_type for cell in cells]
    assert kinds[0] == "markdown"
    assert ("code", "code") not in list(pairwise(kinds))
    targets = re.findall(r"\]\(([^)#]+)", "".join(cell.source for cell in cells if cell.cell_type == "markdown"))
    assert targets
    for target in targets:
        assert target.startswith("https://") or (path.parent / target).exists(), target


ONE, OTHER = printed("wins 12 %\n"), printed("wins 13 %\n")


@pytest.mark.parametrize(
    ("saved", "executed", "told"),
    [
        ([ONE], [ONE], []),
        ([ONE], [OTHER], ["cell 0 has saved: 'wins 12 %\\n', a run gives: 'wins 13 %\\n'"]),
        ([], [ONE], ["cell 0 has 0 outputs saved, a run gives 1"]),
        ([ONE], [], ["cell 0 has 1 outputs saved, a run gives 0"]),
    ],
)
def test_another_output_is_a_difference_and_where_they_vary_a_missing_one(saved: list, executed: list, told: list[str]):
    before, after = with_outputs(*saved), with_outputs(*executed)
    assert list(differences(before, after)) == told
    missing = [line for line in told if "outputs saved" in line]
    smaller = deepcopy(before)
    smaller.cells.append(new_code_cell("GAMES = 100_000", metadata={"tags": ["parameters"]}))
    assert list(differences(smaller, new_notebook(cells=[*after.cells, new_code_cell("GAMES = 1_000")]))) == missing
    before.cells[0].metadata["tags"] = ["varies"]
    assert list(differences(before, after)) == missing


def test_a_pixel_that_one_sees_is_a_difference_and_rounding_is_none():
    white = np.full((20, 30, 3), 255, np.uint8)
    rounded, dotted = white.copy(), white.copy()
    rounded[5, 5] = 253
    dotted[5, 5] = 0
    assert list(differences(with_outputs(drawn(white)), with_outputs(drawn(rounded)))) == []
    for other in (drawn(dotted), drawn(white[1:]), new_output("display_data", {"text/plain": "x"})):
        assert list(differences(with_outputs(drawn(white)), with_outputs(other))) == [
            "cell 0 has saved: 'x', a run gives: 'x'"
        ]


def test_noise_is_found():
    address = new_output("execute_result", {"text/plain": "<Agent object at 0x7f3a91b2c4d0>"})
    assert list(noise(with_outputs(printed("a warning", "stderr"), address, printed("saved as /home/me/x.png")))) == [
        "cell 0 writes to stderr: 'a warning'",
        "cell 0 shows an address in memory: 0x7f3a91b2c4d0",
        "cell 0 shows a path of the machine: /home/",
    ]
    assert list(noise(with_outputs(printed("12 of 40 games; read docs/rules.md")))) == []


def test_what_is_said_about_the_settings_of_a_training_is_so():
    """The words about how much larger other runs are than the notebook's own."""
    notebook = read(next(path for path in NOTEBOOKS if path.name.startswith("04")))
    words, code = (
        "".join(cell.source for cell in notebook.cells if cell.cell_type == kind) for kind in ("markdown", "code")
    )
    steps = int(re.search(r"steps=([\d_]+)", code)[1])
    assert f"{steps:,} decisions, 64 games at once" in words
    assert f"a run of some minutes, of {TrainingConfig().steps:,} decisions" in " ".join(words.split())
    assert f"`standard` sees {read_config('standard').steps / steps:.0f} times as many" in words
