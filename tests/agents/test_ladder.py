"""The reference ladder: what it plays, and the page that it writes."""

from pathlib import Path

import pytest

from ursuppe_agents.findings import ladder
from ursuppe_agents.registry import agent_names
from ursuppe_agents.reports.text import percent, value


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder of seconds."""
    monkeypatch.setattr(ladder, "AGENTS", ("random", "grow", "policy:default"))
    monkeypatch.setattr(ladder, "SEARCH", "search:sims=2")
    monkeypatch.setattr(ladder, "PLAIN", "search:sims=1")
    monkeypatch.setattr(ladder, "GUIDED", "search:sims=33,policy=default")
    monkeypatch.setattr(ladder, "SEARCH_OPPONENTS", ("grow",))
    monkeypatch.setattr(ladder, "GAMES", 8)
    monkeypatch.setattr(ladder, "SEARCH_GAMES", 4)


def test_all_built_in_agents_are_in_it():
    assert {agent.partition(":")[0] for agent in (*ladder.AGENTS, ladder.SEARCH)} == set(agent_names())


@pytest.mark.usefixtures("_small")
def test_each_agent_is_alone_against_three_of_each_other(tmp_path: Path):
    played = ladder.play_ladder(tmp_path)
    assert sorted(figures.lineup for figures in played.agents.lineups) == sorted(
        (one, rest, rest, rest) for one in ladder.AGENTS for rest in ladder.AGENTS if one != rest
    )
    assert {figures.games for figures in (*played.agents.lineups, *played.likeliest.lineups)} == {8}
    assert {figures.lineup[:2] for figures in played.likeliest.lineups} == {
        ("policy:default,deterministic=true", rest) for rest in ("random", "grow")
    }
    assert [(figures.lineup, figures.games) for figures in (*played.search.lineups, *played.guided.lineups)] == [
        (("search:sims=2", *["grow"] * 3), 4),
        (("search:sims=33,policy=default", *["search:sims=1"] * 3), 4),
    ]


@pytest.mark.usefixtures("_small")
def test_the_page_has_every_figure(tmp_path: Path):
    played = ladder.play_ladder(tmp_path)
    page = ladder.ladder_page(played)
    lines = page.splitlines()
    order = [figures.agent for figures in played.agents.agents]
    against = {
        figures.lineup[:2]: 100 * figures.win_rates[figures.lineup[0]].estimate
        for summary in played[:-1]
        for figures in summary.lineups
    }
    for one in order:
        cells = ["–" if one == rest else f"{against[one, rest]:.0f}" for rest in order]
        assert f"| `{one}` | {' | '.join(cells)} |" in lines
    for rest in ("random", "grow"):
        likeliest, drawn = against["policy:default,deterministic=true", rest], against["policy:default", rest]
        [line] = [line for line in lines if line.startswith(f"| `{rest}` | {likeliest:.1f} % |")]
        assert f"| {drawn:.1f} % |" in line
    wins = against["search:sims=2", "grow"]
    assert any(line.startswith(f"| three `grow` | {wins:.1f} % |") and line.endswith("| 4 |") for line in lines)
    assert (
        f"`search:sims=33,policy=default` wins {against['search:sims=33,policy=default', 'search:sims=1']:.1f} % of"
        in page
    )


@pytest.mark.usefixtures("_small")
def test_in_the_duel_each_agent_meets_each_other_one(tmp_path: Path):
    played = ladder.play_ladder(tmp_path)
    duel = played.duel
    assert duel.tournament.teams == ((0, 2), (1, 3))
    assert {figures.lineup for figures in duel.lineups} == {
        ("random", "grow"),
        ("random", "policy:default"),
        ("grow", "policy:default"),
    }
    assert {figures.games for figures in duel.lineups} == {8}
    _, _, section = ladder.ladder_page(played).partition("## The duel")
    order = [figures.agent for figures in duel.agents]
    for one in order:
        cells = ["–" if one == other else f"{100 * duel.before[one, other].estimate:.0f}" for other in order]
        assert f"| `{one}` | {' | '.join(cells)} |" in section.splitlines()
    for figures in duel.agents:
        assert f"| `{figures.agent}` | {value(figures.rating, '+.0f')} | {percent(figures.win_rate)} |" in section
