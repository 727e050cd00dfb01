"""What the tests of all libraries share: the examples of the library's page."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "libraries"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def examples(request: pytest.FixtureRequest) -> list[str]:
    """The Python of docs/libraries/NAME.md, for the tests in the folder NAME: each example runs by itself."""
    return FENCE.findall((PAGES / f"{request.path.parent.name}.md").read_text(encoding="utf-8"))
