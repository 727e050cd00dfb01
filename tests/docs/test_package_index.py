"""README.md as a package index shows it: nothing in it is relative."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RELATIVE = re.compile(r"\]\((?!https://|#)|(?:src|srcset)=\"(?!https://)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def for_package_index():
    return runpy.run_path(str(ROOT / "setup.py"))["for_package_index"]


@pytest.mark.parametrize("source", [None, "https://example.org/ursuppe"])
def test_no_link_and_no_picture_is_relative(for_package_index, source):
    shown = for_package_index(README, source)
    assert RELATIVE.search(README)
    assert not RELATIVE.search(FENCE.sub("", shown))
    assert FENCE.findall(shown) == FENCE.findall(README)


def test_links_and_pictures_lead_to_the_source(for_package_index):
    shown = for_package_index(
        '<img src="docs/a.svg"> [the licence](LICENSE) [there](https://example.org) [below](#more)\n'
        "```python\nscores[0](state)\n```\n",
        "https://example.org/ursuppe",
    )
    assert shown == (
        '<img src="https://example.org/ursuppe/raw/HEAD/docs/a.svg"> '
        "[the licence](https://example.org/ursuppe/blob/HEAD/LICENSE) [there](https://example.org) [below](#more)\n"
        "```python\nscores[0](state)\n```\n"
    )


def test_without_a_source_the_words_stay_and_the_links_and_pictures_go(for_package_index):
    readme = (
        '# A\n\n<picture>\n  <img src="a.svg">\n</picture>\n\nSee [the rules](rules.md), [b](https://example.org).\n'
    )
    assert for_package_index(readme, None) == "# A\n\nSee the rules, [b](https://example.org).\n"
