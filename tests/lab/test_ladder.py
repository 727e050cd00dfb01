"""The reference ladder: what it plays, and the page that it writes."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from studies.findings import ladder
from studies.findings.exploits import exploits_section, read_exploits
from ursuppe_agents.registry import agent_names
from ursuppe_env import Ruleset
from ursuppe_lab.reports.text import percent, value

LIKELIEST, POLICY, SEARCH, GUIDED = ladder.LIKELIEST, ladder.POLICY, ladder.SEARCH, ladder.GUIDED
EVERYONE = ladder.AGENTS
AGENTS = ("random", "grow", "collector", "hunter", "breeder")


@pytest.fixture(scope="module")
def tournaments():
    """What is played as it is."""
    return ladder.ladder_tournaments()


@pytest.fixture(scope="module")
def small(tournaments):
    """A ladder of seconds: a scripted agent stands for the policy, another one for its likeliest actions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "AGENTS", AGENTS)
        patch.setattr(ladder, "POLICY", "breeder")
        patch.setattr(ladder, "LIKELIEST", "wanderer")
        patch.setattr(ladder, "DUELLIST", "hoarder")
        patch.setattr(ladder, "SEARCH", "search:sims=2")
        patch.setattr(ladder, "GUIDED", "search:sims=3")
        for name in ("MIXED_GAMES", "GAMES", "DUEL_GAMES", "OTHER_GAMES"):
            patch.setattr(ladder, name, 16)
        for name in ("SEARCH_GAMES", "GUIDED_GAMES"):
            patch.setattr(ladder, name, 4)
        yield


@pytest.fixture(scope="module")
def played(small, tmp_path_factory):
    return ladder.play_ladder(tmp_path_factory.mktemp("ladder"), workers=1, tables=["3", "duel", "4-1997"])


@pytest.fixture
def lines(played):
    return ladder.ladder_page(played).splitlines()


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_all_built_in_agents_are_in_it():
    assert {agent.partition(":")[0] for agent in (*EVERYONE, SEARCH)} == set(agent_names()) - {"process", "sb3"}


def test_it_plays_every_kind_of_table(tournaments):
    whole = tournaments
    assert tuple(whole) == (
        *ladder.Ladder._fields[:-1],
        *(f"{table}-{kind}" for table in ladder.OTHER_TABLES for kind in ("mixed", "alone")),
    )
    tables = whole["mixed"].lineups
    assert len(tables) == 30
    assert set(Counter(pair for table in tables for pair in combinations(sorted(table), 2)).values()) == {4}
    assert len(whole["alone"].lineups) == len(whole["pairs"].lineups) == 90
    assert len(whole["duel"].lineups) == len(whole["old_duel"].lineups) == 55
    assert (whole["duel"].ruleset, whole["old_duel"].ruleset) == (Ruleset(), Ruleset(edition="1997"))
    assert len(ladder.ladder_tournaments([])["duel"].lineups) == 45
    assert len(ladder.OTHER_TABLES) == 7
    for table in ladder.OTHER_TABLES:
        mixed, alone = whole[f"{table}-mixed"], whole[f"{table}-alone"]
        players, edition = int(table[0]), "1997" if "-" in table else "1998"
        assert mixed.ruleset == alone.ruleset == Ruleset(players=players, edition=edition)
        met = Counter(pair for table in mixed.lineups for pair in combinations(sorted(table), 2))
        assert len(met) == 45
        assert len(set(met.values())) == 1
        assert alone.lineups == tuple((agent, *[POLICY] * (players - 1)) for agent in EVERYONE if agent != POLICY)
    assert (LIKELIEST, *[POLICY] * 3) in whole["likeliest"].lineups
    assert whole["search"].lineups == (
        (SEARCH, *[POLICY] * 3),
        (POLICY, *[SEARCH] * 3),
    )
    assert whole["guided"].lineups == ((GUIDED, *[POLICY] * 3),)


def test_the_matrices_have_every_pair(played, lines):
    order = [figures.agent for figures in played.mixed.agents]
    alone = {
        figures.lineup[:2]: 100 * figures.win_rates[figures.lineup[0]].estimate for figures in played.alone.lineups
    }
    for one in order:
        row = ["–" if one == rest else f"{alone[one, rest]:.0f}" for rest in order]
        assert f"| `{one}` | {' | '.join(row)} |" in lines
    section = lines[lines.index("## Two and two") :]
    table = [line for line in section if line.startswith("| `")][: len(order)]
    matrix = {row[0]: row[1:] for row in map(cells, table)}
    assert list(matrix) == [f"`{agent}`" for agent in order]
    wins = {}  # of seats, from both kinds of lineup with as many games as they have
    for figures in played.pairs.lineups:
        a, b = dict.fromkeys(figures.lineup)
        for one, other in ((a, b), (b, a)):
            wins[one, other] = wins.get((one, other), 0) + 2 * figures.win_rates[one].estimate * figures.games / 24
    for one in order:
        for other, cell in zip(order, matrix[f"`{one}`"], strict=True):
            assert cell == "–" if one == other else abs(int(cell) - 100 * wins[one, other]) < 0.51


def test_the_first_table_has_ratings_and_whether_they_fit(played, lines):
    best = played.mixed.agents[0]
    row = f"| `{best.agent}` | {value(best.rating, '+.0f')} | {percent(best.win_rate)} |"
    assert any(line.startswith(row) for line in lines)
    assert str(played.mixed.fit) in lines
    shares = [line for line in lines[lines.index("### Without an order") :] if line.startswith("| `")][: len(AGENTS)]
    assert [cells(line)[:3] for line in shares] == [
        [f"`{figures.agent}`", percent(figures.share), percent(figures.value)] for figures in played.mixed.nash
    ]


def test_search_and_the_policy_meet_both_ways(played, lines):
    against = {figures.lineup[:2]: figures.win_rates[figures.lineup[0]] for figures in played.search.lineups}
    search, policy = "search:sims=2", "breeder"
    assert f"| `{search}` | three `{policy}` | {percent(against[search, policy])} | 25 % | 4 |" in lines
    assert f"| `{policy}` | three `{search}` | {percent(against[policy, search])} | 25 % | 4 |" in lines
    assert any(line.startswith(f"| two `{search}` | two `{policy}` |") and line.endswith("| 6 |") for line in lines)
    assert any(line.startswith("That the guided search does better than the policy") for line in lines)
    page = "\n".join(lines)
    assert "Here: no intervals: 1 seed is too few, at least 10 are needed." in page


def test_in_the_duel_each_agent_meets_each_other_one(played, lines):
    duel = played.duel
    assert duel.tournament.teams == ((0, 2), (1, 3))
    section = lines[lines.index("## The duel") :]
    order = [figures.agent for figures in duel.agents]
    for one in order:
        row = ["–" if one == other else f"{100 * duel.before[one, other].estimate:.0f}" for other in order]
        assert f"| `{one}` | {' | '.join(row)} |" in section


def test_other_numbers_of_players_and_the_other_edition_have_a_table_each(played, lines):
    section = lines[lines.index("## Other tables") :]
    titles = ["### 3 players, edition 1998", "### 4 players, edition 1997"]
    assert [line for line in section if line.startswith("### ")] == titles
    for table, title in zip(played.others, titles, strict=True):
        part = section[section.index(title) :]
        rows = [cells(line) for line in part if line.startswith("| `")][: len(AGENTS)]
        alone = {figures.lineup[0]: percent(figures.win_rates[figures.lineup[0]]) for figures in table.alone.lineups}
        assert [(row[0], row[1], row[2], row[-1]) for row in rows] == [
            (f"`{one.agent}`", value(one.rating, "+.0f"), percent(one.win_rate), alone.get(one.agent, "–"))
            for one in table.mixed.agents
        ]
        assert str(table.mixed.fit) in part
    assert any("ladder --exploits runs/exploits --tables '3,4-1997,duel'" in line for line in lines)


def test_the_one_that_was_trained_for_the_duel_joins_it(played, lines):
    assert "hoarder" in played.duel.tournament.agents
    assert any("`hoarder` was [trained in it](training.md#teams); none of the others knows" in line for line in lines)


def test_without_them_the_page_says_so(played):
    page = ladder.ladder_page(played._replace(others=()))
    assert "Not played for this page: `--tables`" in page[page.index("## Other tables") :]


def test_a_policy_that_is_not_there_shows_before_any_game(small, tmp_path, monkeypatch):
    monkeypatch.setattr(ladder, "DUELLIST", "policy:nowhere.zip")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):
        ladder.play_ladder(tmp_path / "ladder", workers=1, tables=["duel"])
    assert not (tmp_path / "ladder").exists()


def test_tables_are_named_with_commas():
    assert ladder.checked_tables("3-1997,duel") == ["3-1997", "duel"]
    assert ladder.checked_tables("") == []
    for text in ("4", "3,3", "3 5", "3,"):
        with pytest.raises(
            ValueError, match=f"^tables is '{text}'; it must be some of 3, 5, 6, 3-1997, .*, duel, with commas"
        ):
            ladder.checked_tables(text)


def share(estimate, width=0.03):
    return {"estimate": estimate, "low": estimate - width, "high": estimate + width}


def exploit_summary(spec="policy:default", **changes):
    """What ``ursuppe exploit`` writes, shortened."""
    return {
        "version": "0.1.0",
        "victim": {"spec": spec, "decisions": 1000, "has_weights": True, "likeliest": True},
        "players": 4,
        "edition": "1998",
        "ruleset": {},
        "chance": 0.25,
        "games": 2000,
        "budgets": [{"name": "1 %", "gain": share(0.05)}, {"name": "20 %", "gain": share(0.288)}],
        "exploiters": [{"run": f"own-weights-{seed}", "seed": seed} for seed in (0, 1, 2, 0)],
        "bound": {"run": "own-weights-1", "wins": share(0.538), "gain": share(0.288), "victim_alone": share(0.08)},
        "likeliest_alone": share(0.29),
        "scripted": {"agent": "greedy", "wins": share(0.11)},
        **changes,
    }


def write_exploit(folder: Path, name: str, content: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "summary.json").write_text(content if isinstance(content, str) else json.dumps(content))


def test_what_best_responses_gain_is_a_lower_bound(tmp_path, played):
    write_exploit(tmp_path, "a", exploit_summary())
    by_minutes = [{"name": "5 minutes", "gain": {"estimate": 0.4, "low": None, "high": None}}]
    write_exploit(tmp_path, "b", exploit_summary("hunter", budgets=by_minutes, likeliest_alone=None))
    found = read_exploits(tmp_path)
    section = exploits_section(found)
    assert section in ladder.ladder_page(played, found)
    assert "A **lower bound**" in section
    assert "| agent | 1 % | 20 % | 5 minutes | games | seeds |" in section
    assert "| `policy:default` | +5.0 (+2.0 to +8.0) | +28.8 (+25.8 to +31.8) | – | 2,000 | 3 |" in section
    assert "| `hunter` | – | – | +40.0 | 2,000 | 3 |" in section
    row = "53.8 % (50.8–56.8) | 8.0 % (5.0–11.0) | 29.0 % (26.0–32.0) | `greedy` 11.0 % (8.0–14.0) |"
    assert f"| `policy:default` | {row}" in section
    assert "| `hunter` | 53.8 % (50.8–56.8) | 8.0 % (5.0–11.0) | – |" in section


def test_best_responses_at_several_tables_are_told_apart(tmp_path):
    write_exploit(tmp_path, "a", exploit_summary(players=5))
    write_exploit(tmp_path, "b", exploit_summary("policy:duel", teams="0+2,1+3"))
    section = exploits_section(read_exploits(tmp_path))
    assert "so much learning. A" in section
    for victim in (
        "`policy:default`, 5 players, edition 1998",
        "`policy:duel`, 4 players in teams 0+2,1+3, edition 1998",
    ):
        assert section.count(f"| {victim} |") == 2


def test_without_them_the_page_says_that_they_are_not_there(lines):
    section = lines[lines.index("## Exploitability") + 2]
    assert section.startswith("Not measured for this page: ")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "has no folder with a summary.json of `ursuppe exploit`"),
        ("{", "a/summary.json is no summary of `ursuppe exploit`: Invalid JSON"),
        ({"agents": []}, "a/summary.json is no summary of `ursuppe exploit`: victim: Field required"),
        (exploit_summary(chance="a quarter"), "chance: Input should be a valid number"),
    ],
)
def test_other_files_are_refused(content, says, tmp_path):
    if content is not None:
        write_exploit(tmp_path, "a", content)
    with pytest.raises(ValueError, match=says):
        read_exploits(tmp_path)
