"""What pyproject.toml cannot say: README.md as a package index shows it, where relative links lead nowhere.

They lead to the source that ``[project.urls]`` names; as long as it names none, what is linked stands there without its
link, and the picture is left out.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

_ROOT = Path(__file__).parent
_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^]]+)\]\((?!\w+:|#)([^)]+)\)")
_FILE = re.compile(r'(src|srcset)="(?!\w+:)([^"]+)"')
_PICTURE = re.compile(r"<picture>.*?</picture>\n*", re.DOTALL)


def for_package_index(readme: str, source: str | None) -> str:
    """README.md without relative links; with the address of a forge they lead to its newest files."""
    if source is None:
        link, text = r"\1", _PICTURE.sub("", readme)
    else:
        link, text = rf"[\1]({source}/blob/HEAD/\2)", _FILE.sub(rf'\1="{source}/raw/HEAD/\2"', readme)
    return "".join(part if _CODE.fullmatch(part) else _LINK.sub(link, part) for part in _CODE.split(text))


if __name__ == "__main__":
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    setup(
        long_description=for_package_index(
            (_ROOT / "README.md").read_text(encoding="utf-8"), project.get("urls", {}).get("Source")
        ),
        long_description_content_type="text/markdown",
    )
