"""The changelog and how to contribute, which stand in the root of the repository, as pages of the site."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add them, with links that are right among the other pages."""
    root = Path(config.docs_dir).parent
    for page, source in FROM_ROOT.items():
        text = (root / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links to them stay on the site."""
    for page, source in FROM_ROOT.items():
        markdown = markdown.replace(f"](../{source}", f"]({page}")
    return markdown
