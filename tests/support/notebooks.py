"""Executing the notebooks. The tests compare what comes out with what is saved; as a program this saves it.

``make notebooks`` runs it, and then nbstripout, which removes what differs from run to run.
"""

import base64
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import numpy as np
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

from ursuppe_agents import make_agent
from ursuppe_env import Games
from ursuppe_env.files import write_atomically

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_LONGEST_CELL = 300  # seconds, on a machine that is busy with other tests
#: What the tests execute, text for text, in place of what takes long, in cells whose outputs are not compared.
_SMALLER = {
    "04_train_self_play.ipynb": [("num_games=200", "num_games=40"), ("num_games=120", "num_games=40")],
    "06_change_the_rules.ipynb": [(" games=40,\n", " games=12,\n"), ("num_games=400", "num_games=80")],
    "07_games_as_data.ipynb": [("GAMES = 20_000", "GAMES = 200")],
    "08_your_first_row.ipynb": [
        ("STEPS, SEEDS = 1_000_000, 100", "STEPS, SEEDS = 10_000, 10"),
        ('update={"seeds": SEEDS}', 'update={"seeds": SEEDS, "opponents": ("random",)}'),
    ],
}
#: On a machine with one core nothing starts processes, which would compete with other tests.
_ONE_CORE = "import os; os.sched_getaffinity = lambda process: {0}"
_VARIES = "varies"  # tag of a cell whose outputs differ between machines: what torch computes does, in the last digits
_PARAMETERS = "parameters"  # tag of a cell that says how much the notebook does
_VISIBLE = 32  # of 255: a smaller difference of a pixel may come from how the machine rounds
_NOISE = {
    "an address in memory": re.compile(r"\b0x[0-9a-f]{6,}", re.IGNORECASE),
    "a path of the machine": re.compile(r"(?<![\w.])/(home|root|tmp|private|Users|usr|opt|var)/|\b[A-Z]:\\\w"),
    "a widget": re.compile(r"application/vnd\.jupyter\.widget"),
}


def execute(path: Path, whole: bool = False) -> NotebookNode:
    """The notebook as it is after a run in a folder of its own; ``whole``: however long that takes."""
    notebook = nbformat.read(path, as_version=4)
    arguments = ["--log-level=ERROR"]  # the kernel's own, on the terminal
    if not whole:
        _make_smaller(notebook, path.name)
        arguments.append(f"--IPKernelApp.exec_lines={_ONE_CORE}")
    with TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=None if whole else _LONGEST_CELL,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            coalesce_streams=True,  # how prints are cut into pieces is a matter of timing
            extra_arguments=arguments,
        ).execute(env=os.environ | {"PYTHONPATH": str(FOLDER.parent)})  # where studies/ is
    return notebook


def _make_smaller(notebook: NotebookNode, name: str) -> None:
    has_parameters = any(_PARAMETERS in _tags(cell) for cell in notebook.cells)
    varying = [cell for cell in notebook.cells if has_parameters or _VARIES in _tags(cell)]
    for saved, smaller in _SMALLER.get(name, ()):
        cells = [cell for cell in varying if saved in cell.source]
        assert len(cells) == 1, f"{name}: {saved!r} stands in {len(cells)} cells whose outputs vary"
        cells[0].source = cells[0].source.replace(saved, smaller)


def differences(saved: NotebookNode, executed: NotebookNode) -> Iterator[str]:
    """In which cells somebody would see something else, but for those that say that it varies.

    Where the parameters were others, all of them do.
    """
    has_parameters = any(_PARAMETERS in _tags(cell) for cell in saved.cells)
    for number, (old, new) in enumerate(zip(_outputs(saved), _outputs(executed), strict=True)):
        if len(old) != len(new):
            yield f"cell {number} has {len(old)} outputs saved, a run gives {len(new)}"
        if has_parameters or _VARIES in _tags(saved.cells[number]):
            continue
        for before, after in zip(old, new, strict=False):
            if not _look_alike(before, after):
                yield f"cell {number} has saved: {_in_short(before)}, a run gives: {_in_short(after)}"


def noise(notebook: NotebookNode) -> Iterator[str]:
    """What should not be in the outputs: warnings and other messages, and what is different on the next machine."""
    for number, outputs in enumerate(_outputs(notebook)):
        for output in outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"cell {number} writes to stderr: {_in_short(output)}"
            for what, pattern in _NOISE.items():
                if found := pattern.search(_without_pictures(output)):
                    yield f"cell {number} shows {what}: {found[0]}"


def _tags(cell: NotebookNode) -> list[str]:
    return list(cell.metadata.get("tags", []))


def _outputs(notebook: NotebookNode) -> list[list[NotebookNode]]:
    return [cell.get("outputs", []) for cell in notebook.cells]


def _look_alike(one: NotebookNode, other: NotebookNode) -> bool:
    """All is the same, but for the counts of executions and tiny differences of pixels."""
    if _without_pictures(one) != _without_pictures(other):
        return False
    pictures = [_pixels(output.data["image/png"]) for output in (one, other) if "image/png" in output.get("data", {})]
    if len(pictures) < 2:
        return not pictures
    before, after = pictures
    return before.shape == after.shape and bool((np.abs(before - after) <= _VISIBLE).all())


def _without_pictures(output: NotebookNode) -> str:
    data = {kind: content for kind, content in output.get("data", {}).items() if kind != "image/png"}
    return json.dumps(output | {"data": data, "execution_count": None}, sort_keys=True)


def _pixels(picture: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"), np.int16)


def _in_short(output: NotebookNode) -> str:
    text = output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", "")
    return repr(text if len(text) < 200 else f"{text[:200]} ...")


def main() -> None:
    """Execute all notebooks, or those whose names begin with an argument, and save them with what came out."""
    make_agent("grow", seed=0).act(Games(1), np.zeros(1, np.int64))  # compiling announces itself on stderr: not in them
    beginnings = tuple(sys.argv[1:]) or ("",)
    for path in [path for path in NOTEBOOKS if path.name.startswith(beginnings)]:
        notebook = execute(path, whole=True)
        for problem in noise(notebook):
            sys.exit(f"{path.name} is not saved: {problem}")
        write_atomically(path, nbformat.writes(notebook).encode())
        print(path.name)


if __name__ == "__main__":
    main()
