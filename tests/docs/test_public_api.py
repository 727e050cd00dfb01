"""What README, docs, notebooks and examples import from these packages is what docs/api documents."""

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = {"ursuppe_env", "ursuppe_agents", "ursuppe_lab", "ursuppe_play", "ursuppe_training"}
PYTHON = re.compile(r"^ *```python\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^::: ([\w.]+)((?:\n(?: .*)?)*)", re.MULTILINE)
MEMBERS = re.compile(r"(?<!inherited_)members:\s*(\[[^]]*\]|(?:\n +- \w+)+)")


def documented() -> set[str]:
    """What docs/api documents, by the name under which it does."""
    names = set()
    for page in (ROOT / "docs" / "api").glob("*.md"):
        for path, options in ENTRY.findall(page.read_text(encoding="utf-8")):
            members = MEMBERS.search(options)
            names |= {f"{path}.{name}" for name in re.findall(r"\w+", members[1])} if members else {path}
    return names


def imports(code: str) -> Iterator[str]:
    """The names that Python code imports from our packages."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] in PACKAGES)


def shown() -> dict[str, list[str]]:
    """The code that users are shown, by file."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = {page.name: PYTHON.findall(page.read_text(encoding="utf-8")) for page in pages}
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        found[notebook.name] = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for example in (ROOT / "examples").glob("*.py"):
        found[example.name] = [example.read_text(encoding="utf-8")]
    return found


def is_public(name: str, known: set[str]) -> bool:
    """Is it documented, a package or module of what is, or exported by a package above the place where it is?"""
    if any(one == name or one.startswith(f"{name}.") for one in known):
        return True
    package, _, last = name.rpartition(".")
    homes = [one for one in known if one.startswith(f"{package}.") and one.endswith(f".{last}")]
    return bool(homes) and last in getattr(import_module(package), "__all__", ())


def test_what_users_are_shown_is_documented():
    known = documented()
    used = {(file, name) for file, code in shown().items() for block in code for name in imports(block)}
    assert [(file, name) for file, name in sorted(used) if not is_public(name, known)] == []


def test_what_is_not_documented_is_found():
    known = {"ursuppe_env.Games", "ursuppe_env.records.replay.replay"}
    assert list(imports("import numpy\nfrom ursuppe_env import Games, Dice")) == [
        "ursuppe_env.Games",
        "ursuppe_env.Dice",
    ]
    assert is_public("ursuppe_env.Games", known)
    assert is_public("ursuppe_env.records", known)
    assert is_public("ursuppe_env.records.replay", known)
    assert not is_public("ursuppe_env.Dice", known)
    assert {"ursuppe_env.Games", "ursuppe_lab.balance.Candidate", "ursuppe_env.records.Record"} - documented() == {
        "ursuppe_lab.balance.Candidate"
    }
