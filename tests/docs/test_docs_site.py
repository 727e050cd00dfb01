"""The documentation builds as a site without warnings, and the site is whole: links, tables, all public names."""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[2]
PUBLIC = (
    "ursuppe_env",
    "ursuppe_env.positions",
    "ursuppe_env.records",
    "ursuppe_env.render.ansi",
    "ursuppe_env.render.svg",
    "ursuppe_env.ursuppe_v0",
    "ursuppe_agents",
    "ursuppe_lab.arena",
    "ursuppe_training",
)
MARKDOWN = re.compile(r"^\s*([-*+] |\d+\. |\||```|#+ |:::)", re.MULTILINE)
PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)</p>", re.DOTALL)


class Page(HTMLParser):
    """What the checks want to know about a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []  # what a reader may follow
        self.assets: list[str] = []  # what the browser loads
        text = path.read_text(encoding="utf-8")
        self.paragraphs = [re.sub("<[^>]*>", "", paragraph) for paragraph in PARAGRAPH.findall(text)]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids.add(attributes.get("id", ""))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        self.assets += [attributes[key] for key in ("src", "srcset") if key in attributes]
        if tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(attributes["href"])


def problems(site: Path) -> list[str]:
    pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}  # that one is for a server
    checks = (broken_links, assets_from_elsewhere, markdown_left_over)
    found = [problem for path, page in pages.items() for check in checks for problem in check(path, page, pages)]
    styles = site.rglob("*.css")
    return found + [
        f"{path.name} loads from elsewhere" for path in styles if re.search(r"url\(.?http", path.read_text())
    ]


def broken_links(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    for link in page.links + page.assets:
        parts = urlsplit(link)
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if parts.scheme or parts.netloc:
            continue
        if not target.exists():
            yield f"{path.name}: {link} leads nowhere"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            yield f"{path.name}: {link} leads to no place on that page"


def assets_from_elsewhere(path: Path, page: Page, _: dict[Path, Page]) -> Iterator[str]:
    for asset in page.assets:
        if urlsplit(asset).netloc:
            yield f"{path.name} loads {asset}"


def markdown_left_over(path: Path, page: Page, _: dict[Path, Page]) -> Iterator[str]:
    """A list without an empty line before it, a table that is none, ..."""
    for paragraph in page.paragraphs:
        if MARKDOWN.search(paragraph):
            yield f"{path.name} shows Markdown as it is written: {paragraph[:80]!r}"


def public_names() -> Iterator[tuple[str, str]]:
    """Each public name as it is imported, and where it is defined."""
    for module in map(importlib.import_module, PUBLIC):
        for name in module.__all__:
            value = getattr(module, name)
            if type(value) is not type(module):
                home = f"{getattr(value, '__module__', module.__name__)}.{getattr(value, '__qualname__', name)}"
                yield f"{module.__name__}.{name}", home


def what_search_lacks(site: Path) -> Iterator[str]:
    """A page that is opened as a file can fetch nothing and start no worker: it needs the index as a script, and
    before the theme's script the one that stands in for workers."""
    index = site / "search" / "search_index.js"
    written = index.read_text(encoding="utf-8") if index.exists() else ""
    if not written.startswith('var __index = {"config":') or len(json.loads(written.partition("=")[2])["docs"]) < 2:
        yield "there is no index as a script"
    for path in site.rglob("*.html"):
        scripts = [asset.rpartition("/")[2] for asset in Page(path).assets if asset.endswith(".js")]
        if path.name != "404.html" and (len(scripts) != 2 or scripts[0] != "iframe-worker.js"):
            yield f"{path.name} loads {scripts}"


def test_site(tmp_path: Path):
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "mkdocs", "build", "--strict", "--site-dir", site],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},  # an advertisement, no warning of ours
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert problems(site) == []
    assert list(what_search_lacks(site)) == []
    documented = {id for path in (site / "api").glob("*.html") for id in Page(path).ids}
    assert [name for name, home in public_names() if not {name, home} & documented] == []


def test_what_is_wrong_with_a_site_is_found(tmp_path: Path):
    (tmp_path / "index.html").write_text(
        """<h1 id="top">Home</h1> <img src="board.svg"> <script src="https://example.org/a.js"></script>
        <a href="other.html">x</a> <a href="#top">x</a> <a href="page.html#here">x</a> <a href="page.html#there">x</a>
        <p>Some words:
        - an item</p>"""
    )
    (tmp_path / "page.html").write_text('<p id="here">x</p>')
    (tmp_path / "font.css").write_text('@import url("https://example.org/font.css");')
    assert problems(tmp_path) == [
        "index.html: other.html leads nowhere",
        "index.html: page.html#there leads to no place on that page",
        "index.html: board.svg leads nowhere",
        "index.html loads https://example.org/a.js",
        "index.html shows Markdown as it is written: 'Some words:\\n        - an item'",
        "font.css loads from elsewhere",
    ]
    assert sorted(what_search_lacks(tmp_path)) == [
        "index.html loads ['a.js']",
        "page.html loads []",
        "there is no index as a script",
    ]
