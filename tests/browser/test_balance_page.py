"""The page of `ursuppe balance ask`, opened from the file system."""

from pathlib import Path

from conftest import Open, fits

from ursuppe_agents.balance import Question, ask, changed
from ursuppe_env import Ruleset


def test_no_table_is_cut_in_a_window_of_1200_pixels(open_page: Open, tmp_path: Path):
    printed = Ruleset(players=4)
    after = changed(printed, ["price.speed=6", "own_clinging=true"])
    ask(Question(before=printed, after=after, agent="policy:default", games=20), tmp_path / "out", workers=1)
    for file in tmp_path.glob("out/**/report.html"):
        page = open_page(file, (1200, 900))
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        widths = page.locator(".scroll").evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
        assert widths
        assert all(content <= room for content, room in widths), file
        assert fits(page)
