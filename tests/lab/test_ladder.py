"""The reference ladder: what it plays, and the tables that it writes."""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from studies import ladder
from studies.exploits import exploit_tables
from studies.pages import fill
from ursuppe_agents.registry import agent_names
from ursuppe_env import Ruleset
from ursuppe_lab.reports.text import percent, value

LIKELIEST, POLICY, SEARCH = ladder.LIKELIEST, ladder.POLICY, ladder.SEARCH
EVERYONE = ladder.AGENTS
AGENTS = ("random", "grow", "collector", "hunter", "breeder")
PAGE = Path(__file__).parents[2] / "docs/ladder.md"


@pytest.fixture(scope="module")
def tournaments():
    """What is played as it is."""
    return ladder.ladder_tournaments()


@pytest.fixture(scope="module")
def small(tournaments):
    """A ladder of seconds: a scripted agent stands for the policy, another one for its likeliest actions."""
    stand_ins = {"POLICY": "breeder", "LIKELIEST": "wanderer", "DUELLIST": "hoarder", "SEARCH": "search:sims=2"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder, "AGENTS", AGENTS)
        patch.setattr(ladder, "OTHER_TABLES", ("3", "4-1997"))
        for name, agent in stand_ins.items():
            patch.setattr(ladder, name, agent)
        for name, games in {"MIXED_GAMES": 16, "GAMES": 16, "SEARCH_GAMES": 4}.items():
            patch.setattr(ladder, name, games)
        yield


@pytest.fixture(scope="module")
def played(small, tmp_path_factory):
    return ladder.play_ladder(tmp_path_factory.mktemp("ladder"), workers=1)


@pytest.fixture
def tables(played):
    return ladder.ladder_tables(played)


def rows_of(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_all_built_in_agents_are_in_it():
    assert {agent.partition(":")[0] for agent in (*EVERYONE, SEARCH)} == set(agent_names()) - {"process", "sb3"}


def test_it_plays_every_kind_of_table(tournaments):
    lineups = tournaments["mixed"].lineups
    assert len(lineups) == 30
    assert set(Counter(pair for table in lineups for pair in combinations(sorted(table), 2)).values()) == {4}
    assert len(tournaments["alone"].lineups) == len(tournaments["pairs"].lineups) == 90
    assert len(tournaments["duel"].lineups) == len(tournaments["old_duel"].lineups) == 55
    assert (tournaments["duel"].ruleset, tournaments["old_duel"].ruleset) == (Ruleset(), Ruleset(edition="1997"))
    for name in ladder.OTHER_TABLES:
        mixed, alone = tournaments[f"{name}-mixed"], tournaments[f"{name}-alone"]
        players, edition = int(name[0]), "1997" if "-" in name else "1998"
        assert mixed.ruleset == alone.ruleset == Ruleset(players=players, edition=edition)
        met = Counter(pair for table in mixed.lineups for pair in combinations(sorted(table), 2))
        assert len(met) == 45
        assert len(set(met.values())) == 1
        assert alone.lineups == tuple((agent, *[POLICY] * (players - 1)) for agent in EVERYONE if agent != POLICY)
    assert (LIKELIEST, *[POLICY] * 3) in tournaments["likeliest"].lineups
    assert tournaments["search"].lineups == ((SEARCH, *[POLICY] * 3), (POLICY, *[SEARCH] * 3))


def test_the_matrices_have_every_pair(played, tables):
    order = [figures.agent for figures in played["mixed"].agents]
    alone = {figures.lineup[:2]: figures.win_rates[figures.lineup[0]].estimate for figures in played["alone"].lineups}
    assert rows_of(tables["alone"]) == [
        [f"`{one}`", *("–" if one == rest else f"{100 * alone[one, rest]:.0f}" for rest in order)] for one in order
    ]
    wins = {}  # of seats, from both kinds of lineup with as many games as they have
    for figures in played["pairs"].lineups:
        a, b = dict.fromkeys(figures.lineup)
        for one, other in ((a, b), (b, a)):
            wins[one, other] = wins.get((one, other), 0) + 2 * figures.win_rates[one].estimate * figures.games / 24
    for one, (_, *cells) in zip(order, rows_of(tables["pairs"]), strict=True):
        for other, cell in zip(order, cells, strict=True):
            assert cell == "–" if one == other else abs(int(cell) - 100 * wins[one, other]) < 0.51
    duel = played["duel"]
    assert "hoarder" in duel.tournament.agents
    sides = [figures.agent for figures in duel.agents]
    assert rows_of(tables["duel wins"]) == [
        [f"`{one}`", *("–" if one == other else f"{100 * duel.before[one, other].estimate:.0f}" for other in sides)]
        for one in sides
    ]


def test_ratings_and_whether_they_fit(played, tables):
    best = played["mixed"].agents[0]
    assert rows_of(tables["mixed ratings"])[0][:3] == [
        f"`{best.agent}`",
        value(best.rating, "+.0f"),
        percent(best.win_rate),
    ]
    assert tables["mixed fit"] == str(played["mixed"].fit)
    assert [row[:3] for row in rows_of(tables["mixed nash"])] == [
        [f"`{figures.agent}`", percent(figures.share), percent(figures.value)] for figures in played["mixed"].nash
    ]
    for name in ("3", "4-1997"):
        alone = {one.lineup[0]: percent(one.win_rates[one.lineup[0]]) for one in played[f"{name}-alone"].lineups}
        assert [(row[0], row[1], row[-1]) for row in rows_of(tables[f"table {name}"])] == [
            (f"`{one.agent}`", value(one.rating, "+.0f"), alone.get(one.agent, "–"))
            for one in played[f"{name}-mixed"].agents
        ]


def test_search_and_the_policy_meet_both_ways(played, tables):
    against = {figures.lineup[:2]: figures.win_rates[figures.lineup[0]] for figures in played["search"].lineups}
    search, policy = "search:sims=2", "breeder"
    assert rows_of(tables["search"])[:2] == [
        [f"`{search}`", f"three `{policy}`", percent(against[search, policy]), "25 %", "4"],
        [f"`{policy}`", f"three `{search}`", percent(against[policy, search]), "25 %", "4"],
    ]


def test_the_page_has_no_place_for_which_there_is_no_table(tables, tmp_path):
    write_exploit(tmp_path, "a", exploit_summary())
    page = re.sub(r"<!-- studies: (table|fit) (?!3 |4-1997).*?<!-- end -->", "", PAGE.read_text(), flags=re.DOTALL)
    page = fill(page, tables | exploit_tables(tmp_path))
    assert tables["duel cycles"] in page


def test_a_policy_that_is_not_there_shows_before_any_game(small, tmp_path, monkeypatch):
    monkeypatch.setattr(ladder, "DUELLIST", "policy:nowhere.zip")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):
        ladder.play_ladder(tmp_path / "ladder", workers=1)
    assert not (tmp_path / "ladder").exists()


# ---------------------------------------------------------------------- exploitability


def share(estimate, width=0.03):
    return {"estimate": estimate, "low": estimate - width, "high": estimate + width}


def exploit_summary(spec="policy:default", **changes):
    """What ``ursuppe exploit`` writes, shortened."""
    return {
        "evaluated_agent": {"spec": spec, "decisions": 1000, "has_weights": True, "likeliest": True},
        "players": 4,
        "edition": "1998",
        "games": 2000,
        "budgets": [{"name": "1 %", "gain": share(0.05)}, {"name": "20 %", "gain": share(0.288)}],
        "exploiters": [{"run": f"own-weights-{seed}", "seed": seed} for seed in (0, 1, 2, 0)],
        "bound": {"run": "own-weights-1", "wins": share(0.538), "gain": share(0.288), "evaluated_alone": share(0.08)},
        "likeliest_alone": share(0.29),
        "scripted": {"agent": "greedy", "wins": share(0.11)},
        **changes,
    }


def write_exploit(folder: Path, name: str, content: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "summary.json").write_text(content if isinstance(content, str) else json.dumps(content))


def test_what_best_responses_gain(tmp_path):
    write_exploit(tmp_path, "a", exploit_summary())
    by_minutes = [{"name": "5 minutes", "gain": {"estimate": 0.4, "low": None, "high": None}}]
    write_exploit(tmp_path, "b", exploit_summary("hunter", budgets=by_minutes, likeliest_alone=None, teams="0+2,1+3"))
    tables = exploit_tables(tmp_path)
    policy, hunter = "`policy:default`, 4 players, edition 1998", "`hunter`, 4 players in teams 0+2,1+3, edition 1998"
    assert rows_of(tables["exploits gains"]) == [
        [policy, "+5.0 (+2.0 to +8.0)", "+28.8 (+25.8 to +31.8)", "–", "2,000", "3"],
        [hunter, "–", "–", "+40.0", "2,000", "3"],
    ]
    shares = ["53.8 % (50.8–56.8)", "8.0 % (5.0–11.0)", "29.0 % (26.0–32.0)", "`greedy` 11.0 % (8.0–14.0)"]
    assert rows_of(tables["exploits bounds"])[0] == [policy, *shares]
    assert rows_of(tables["exploits bounds"])[1][3] == "–"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "has no folder with a summary.json of `ursuppe exploit`"),
        ("{", "a/summary.json is no summary of `ursuppe exploit`: JSONDecodeError"),
        ({"agents": []}, "a/summary.json is no summary of `ursuppe exploit`: KeyError"),
    ],
)
def test_other_files_are_refused(content, says, tmp_path):
    if content is not None:
        write_exploit(tmp_path, "a", content)
    with pytest.raises(ValueError, match=says):
        exploit_tables(tmp_path)
