"""The reference ladder: what it plays, and the page that it writes."""

from pathlib import Path

import pytest

from ursuppe_agents import ladder
from ursuppe_agents.registry import agent_names


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder of seconds."""
    monkeypatch.setattr(ladder, "AGENTS", ("random", "grow", "greedy"))
    monkeypatch.setattr(ladder, "SEARCH", "search:sims=2")
    monkeypatch.setattr(ladder, "SEARCH_OPPONENTS", ("grow",))
    monkeypatch.setattr(ladder, "GAMES", 8)
    monkeypatch.setattr(ladder, "SEARCH_GAMES", 4)


def test_all_built_in_agents_are_in_it():
    assert {*ladder.AGENTS, "search"} == set(agent_names()) - {"policy"}


@pytest.mark.usefixtures("_small")
def test_each_agent_is_alone_against_three_of_each_other(tmp_path: Path):
    played, searched = ladder.play_ladder(tmp_path)
    assert sorted(figures.table for figures in played.tables) == sorted(
        (one, rest, rest, rest) for one in ladder.AGENTS for rest in ladder.AGENTS if one != rest
    )
    assert {figures.games for figures in played.tables} == {8}
    assert [(figures.table, figures.games) for figures in searched.tables] == [(("search:sims=2", *["grow"] * 3), 4)]


@pytest.mark.usefixtures("_small")
def test_the_page_has_every_figure(tmp_path: Path):
    played, searched = ladder.play_ladder(tmp_path)
    lines = ladder.ladder_page(played, searched).splitlines()
    order = [figures.agent for figures in played.agents]
    against = {figures.table[:2]: 100 * figures.win_rates[figures.table[0]].mean for figures in played.tables}
    for one in order:
        cells = ["–" if one == rest else f"{against[one, rest]:.0f}" for rest in order]
        assert f"| `{one}` | {' | '.join(cells)} |" in lines
    wins = 100 * searched.tables[0].win_rates["search:sims=2"].mean
    assert any(line.startswith(f"| three `grow` | {wins:.1f} % (") and line.endswith("| 4 |") for line in lines)
