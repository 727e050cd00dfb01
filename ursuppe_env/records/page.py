"""Pages that need nothing else: one HTML file with its style, its script and all of its data, for any browser.

A page runs from the file system and loads nothing. Its policy allows the style and the script whose digests it names,
and nothing else, so that names from a record are never more than text.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from ursuppe_env.files import write_atomically
from ursuppe_env.records.film import Frame, check_file
from ursuppe_env.records.format import Record
from ursuppe_env.records.reel import reel_of
from ursuppe_env.render.svg.theme import style_sheet

#: For ``check_file``.
PAGE = ".html", "a page"

#: What pages show films with: ES modules, each after those that it imports, and their style.
VIEWER = files("ursuppe_env.records") / "viewer"
VIEWER_MODULES = ("dom.js", "film.js", "player.js")
VIEWER_STYLES = ("viewer.css",)

# In one script, each module has those that it imports from before it.
_IMPORT = re.compile(r'^import\s[^;]*\sfrom\s"\./[\w.-]+";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main id="page"><h1>{title}</h1><noscript><p>This page needs JavaScript.</p></noscript></main>
<script type="application/octet-stream" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def write_replay_page(path: Path, film: Iterable[Frame], record: Record, title: str) -> None:
    """Write a page that replays a game, whole or not at all, over what is there.

    Args:
        path: of the page.
        film: ``frames(record)``.
        record: of the game.
        title: of the page.

    Raises:
        ValueError: the name does not end in .html, it is a folder's, or its folder does not exist.
    """
    check_file(path, *PAGE)
    write_atomically(path, replay_page(reel_of(film, record), title).encode())


def replay_page(reel: dict[str, Any], title: str) -> str:
    """The page that replays a game, from what ``reel_of`` gave."""
    scripts = [(VIEWER / name).read_text(encoding="utf-8") for name in (*VIEWER_MODULES, "replay.js")]
    styles = [(VIEWER / name).read_text(encoding="utf-8") for name in VIEWER_STYLES]
    return self_contained_page(title, scripts, styles, {"reel": reel})


def self_contained_page(title: str, scripts: Sequence[str], styles: Sequence[str], data: Any) -> str:
    """A page of modules that build it from its data.

    Args:
        title: of the page.
        scripts: texts of ES modules that import from each other alone, each after those that it imports; what they
            name at their top level must differ. The last one begins the page: in the element ``page``, from
            ``inlineData()`` of ``film.js``.
        styles: texts of CSS; those of the colours come before them.
        data: as JSON can write it.
    """
    script = "".join(_EXPORT.sub("", _IMPORT.sub("", module)) for module in scripts)
    style = style_sheet() + "".join(styles)
    allowed = f"script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    # As ``inlineData`` of ``film.js`` reads it: compressed JSON in letters that need no escapes.
    packed = b64encode(zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)).decode()
    return _PAGE.format(policy=policy, title=escape(title), style=style, data=packed, script=script)


def _digest(text: str) -> str:
    """As a policy names what it allows."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
