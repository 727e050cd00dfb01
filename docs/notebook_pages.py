"""The notebooks as pages of the site: words, code and what is saved of its outputs; nothing is executed."""

import base64
from collections.abc import Iterator
from pathlib import Path

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from nbformat import NotebookNode

PICTURES = {"image/svg+xml": "svg", "image/png": "png"}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add a page for each notebook, and its pictures beside it."""
    folder = Path(config.docs_dir).parent / "notebooks"
    for path in sorted(folder.glob("*.ipynb")):
        text = ""
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
            text += _source(cell)
            for place, output in enumerate(cell.get("outputs", ())):
                picture = f"{path.stem}-{number}-{place}"
                for suffix, content in _pictures(output):
                    files.append(File.generated(config, f"notebooks/{picture}.{suffix}", content=content))
                    text += f"![What the cell above draws]({picture}.{suffix})\n\n"
                text += _printed(output)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links to the notebooks lead to these pages."""
    return markdown.replace(".ipynb)", ".md)").replace("](../notebooks/", "](notebooks/")


def _source(cell: NotebookNode) -> str:
    if cell.cell_type == "code":
        return f"```python\n{cell.source}\n```\n\n"
    return cell.source.replace("](../docs/", "](../") + "\n\n"


def _pictures(output: NotebookNode) -> Iterator[tuple[str, str | bytes]]:
    """What is drawn, with the suffix of its file."""
    for kind, suffix in PICTURES.items():
        if content := output.get("data", {}).get(kind):
            yield suffix, content if suffix == "svg" else base64.b64decode(content)


def _printed(output: NotebookNode) -> str:
    data = output.get("data", {})
    text = output.get("text") or ("" if PICTURES.keys() & data.keys() else data.get("text/plain", ""))
    return f"```text\n{text.rstrip()}\n```\n\n" if text else ""
