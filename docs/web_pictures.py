"""The pictures of ``docs/web.md`` and ``docs/analysis.md``: pages as the system's Chromium shows them.

``python docs/web_pictures.py`` writes them into ``docs/images``. The games have seeds, so that the pages show the same
each time.
"""

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from ursuppe_agents import make_agent
from ursuppe_env import Ruleset
from ursuppe_env.files import write_atomically
from ursuppe_env.records import record_games
from ursuppe_env.records.film import frames
from ursuppe_play.analysis import analyse_game, write_analysis

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.web import Server

IMAGES = Path(__file__).parent / "images"
_CHROMIUM = "/usr/bin/chromium"
_WIDE, _NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
_AGENTS = [{"who": "agent", "agent": "grow"}] * 3
_COLOURS = 96
_DECISIONS = 24  # of the person, before the picture is taken


def _game(server: Server) -> str:
    """A game in its middle: the person has taken some actions, always the last one that was possible."""
    form = {"seed": 7, "seats": [{"who": "person", "name": "Anna"}, *_AGENTS]}
    game = str(server.ask("/api/games", form)["id"])
    for _ in range(_DECISIONS):
        view = server.until_asked(game)
        body = {"action": view["choices"][-1]["action"], "version": view["version"]}
        server.ask(f"/api/games/{game}/choose", body)
    return game


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        try:
            game = _game(server)
            shown = f"{server.address}/games/{game}"
            _keep(_opened(browser, _WIDE, "light", shown, "body[data-state=asked]"), "web-game-light.png")
            _keep(_opened(browser, _NARROW, "light", shown, "body[data-state=asked]"), "web-game-narrow.png")
            _keep(_opened(browser, _WIDE, "light", f"{shown}/replay", ".board svg"), "web-replay-light.png")
            editor = f"{server.address}/editor?game={game}"
            _keep(_opened(browser, _WIDE, "dark", editor, "#board svg"), "web-editor-dark.png")
            report = _analysed(Path(folder) / "analysis").as_uri()
            page = _opened(browser, _WIDE, "light", report, ".chances svg")
            page.locator(".mistakes button").first.click()
            page.wait_for_timeout(500)
            _keep(page, "analysis-report.png", colours=255)  # of thin lines, too
        finally:
            browser.close()
            server.kill()


def _analysed(folder: Path) -> Path:
    """The page of an analysis."""
    agents = ["greedy", "hunter", "grow", "random"]
    players = [make_agent(spec, seat) for seat, spec in enumerate(agents)]
    record = next(record_games(1, Ruleset(), seed=5, agents=agents, players=players))
    analysis = analyse_game(record, "policy:default", workers=1)
    write_analysis(analysis, frames(record), folder, "A game of four agents")
    return folder / "report.html"


def _opened(browser: Browser, size: Any, theme: Any, address: str, until: str) -> Page:
    """A page of this size in this theme, when there is such an element."""
    page = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce").new_page()
    page.goto(address)
    page.wait_for_selector(until, timeout=120_000)
    page.wait_for_timeout(500)
    return page


def _keep(page: Page, name: str, colours: int = _COLOURS) -> None:
    """Few colours are enough, and make the file a third as large."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(colours, dither=Image.Dither.NONE)
    content = BytesIO()
    picture.save(content, "PNG", optimize=True)
    write_atomically(IMAGES / name, content.getvalue())


if __name__ == "__main__":
    main()
