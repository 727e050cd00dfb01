"""The page of `ursuppe balance ask`, opened from the file system."""

from pathlib import Path

from conftest import fits
from playwright.sync_api import Browser

from ursuppe_env import Ruleset
from ursuppe_lab.balance import Question, ask, changed


def test_no_table_is_cut_in_a_window_of_1200_pixels(browser: Browser, tmp_path: Path):
    printed = Ruleset(players=4)
    after = changed(printed, ["price.speed=6", "own_clinging=true"])
    ask(Question(before=printed, after=after, agent="policy:default", games=8), tmp_path / "out", workers=1)
    for file in tmp_path.glob("out/**/report.html"):
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        widths = page.locator(".scroll").evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
        assert widths
        assert all(content <= room for content, room in widths), file
        assert fits(page)
        page.close()
