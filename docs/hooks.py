"""What the site takes from elsewhere: two pages from the repository's root, the reference's tables from the code."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from generated_parts import fill

FROM_ROOT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add them, with links that are right among the other pages."""
    root = Path(config.docs_dir).parent
    for page, source in FROM_ROOT.items():
        text = (root / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links to them stay on the site; the reference gets its tables."""
    for name, source in FROM_ROOT.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    return fill(markdown) if page.file.src_uri.startswith("api/") else markdown
