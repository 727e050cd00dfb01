"""A browser for all tests, and pages that must not complain."""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import executable
from playwright.sync_api import Browser, Page, expect, sync_playwright

PICTURES = Path(__file__).parents[2] / "build" / "browser"
WIDE, NARROW = (1600, 1000), (390, 844)

Open = Callable[..., Page]
_PATIENCE = 20_000  # milliseconds, on a machine that is busy with other tests

expect.set_options(timeout=_PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # As root, such as in a container, Chromium has no sandbox of its own.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens an address or a file; in the end nothing may have been complained of in any console."""
    complaints: list[str] = []
    contexts = []

    def open_page(place: str | Path, size: tuple[int, int] = WIDE, forgiven: str = "", **settings: Any) -> Page:
        """Complaints with ``forgiven`` in them do not count; ``settings`` are those of a browser context."""

        def complain(words: str) -> None:
            if not forgiven or forgiven not in words:
                complaints.append(words)

        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
        page.goto(place.as_uri() if isinstance(place, Path) else place)
        if isinstance(place, Path):  # a page with a film, which is unpacked when the rest has loaded
            page.get_by_label("Moment").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def until(page: Page, condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait; the pages' policy forbids what Playwright would wait with."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not come to that"
        page.wait_for_timeout(50)


def texts(page: Page, selector: str) -> list[str]:
    """What all these elements say, read at one moment: Playwright's ``all_inner_texts`` finds them first and reads
    them later, when the page may have put others in their place."""
    return page.evaluate("(at) => [...document.querySelectorAll(at)].map((one) => one.textContent)", selector)


def number(page: Page) -> int:
    """Of the moment that a film shows."""
    return int(page.get_by_label("Moment").input_value())


def check_looks(page: Page, request: pytest.FixtureRequest) -> None:
    """In light and dark: it fits, axe-core finds nothing that keeps people from using it, and a picture is left to look
    at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", request.node.name).strip("-")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert fits(page)
        found = Axe().run(page).response["violations"]
        assert [
            f"{fault['id']}: {fault['help']}: {[node['target'] for node in fault['nodes']][:3]}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
        ] == []
        page.screenshot(path=PICTURES / f"{name}-{scheme}.png", full_page=True)


def fits(page: Page) -> bool:
    """Has the page no more width than its window?"""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
