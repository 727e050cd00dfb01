"""Teams of agents: in the arena, against a person, and what agents are told of them."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ursuppe_agents import Agent
from ursuppe_env import Ruleset, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.envs.single_seat import UrsuppeEnv
from ursuppe_env.records import check, read_records, record_games, replay
from ursuppe_env.teams import DUEL, SCORES, Teams
from ursuppe_lab.arena import Tournament, make_lineups, play_tournament
from ursuppe_lab.arena.matches import seat_agents
from ursuppe_lab.arena.play import play_batch
from ursuppe_lab.arena.report import html_report
from ursuppe_play.session import PERSON, Session, new_game

UNEVEN = ((1,), (0, 2, 3))


class Asked(Agent):
    """Takes the first legal action, and remembers the seats that it was asked for."""

    def __init__(self, generator):
        super().__init__(generator)
        self.seats = set()

    def act(self, games, rows):
        self.seats.update(games.player[rows].tolist())
        return games.legal()[rows].argmax(axis=1)


def tournament(*agents, teams=DUEL, games=20, **changes):
    ruleset = changes.pop("ruleset", Ruleset())
    lineups = make_lineups(agents, len(teams))
    return Tournament(lineups=lineups, num_games=games, ruleset=ruleset, seed=5, teams=teams, **changes)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"teams": ((0, 2), (1,))}, "there are 4 players"),
        ({"teams": None, "score": "sum"}, "there are no teams"),
        ({"lineups": (("a", "b", "a", "b"),)}, "has 4 agents; it must have 2, one per team"),
        ({"teams": ((0,), (1,), (2, 3))}, "has 2 agents; it must have 3, one per team"),
    ],
)
def test_a_tournament_of_wrong_teams_is_refused(changes: dict, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        Tournament(**{"lineups": (("a", "b"),), "num_games": 4, "teams": DUEL, **changes})


@pytest.mark.parametrize("teams", [DUEL, UNEVEN, ((0,), (3,), (1, 2))])
def test_in_all_rotations_each_agent_has_each_team_and_so_each_seat_once(teams):
    agents = ("random", "grow", "collector")[: len(teams)]
    rows, _ = play_tournament(tournament(*agents, teams=teams, games=6), workers=1)
    assert len(rows) == 6
    team_of = Teams(teams).team_of
    for row in rows.rows(named=True):
        assert row["agents"] == [agents[(team_of[seat] - row["rotation"]) % len(teams)] for seat in range(4)]
    for _, of_seed in rows.group_by("index"):
        for seat in range(4):
            assert sorted(of_seed["agents"].list.get(seat).to_list()) == sorted(agents)


@pytest.mark.parametrize("score", SCORES)
def test_the_ranks_are_those_of_the_teams(score: str):
    teams = Teams(UNEVEN, score)
    played = tournament("random", "grow", teams=UNEVEN, score=score)
    rows = pl.concat(map(play_batch, played.batches()))
    for row in rows.rows(named=True):
        ranks = 1 + teams.ahead(row["markers"])
        assert row["ranks"] == [int(ranks[team]) for team in teams.team_of]


def test_one_agent_plays_all_seats_of_its_team_and_knows_which():
    [batch] = tournament("random", "grow", games=2).batches()
    matches = seat_agents(batch)
    assert matches.seating.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]
    assert {agent.teams for agent in matches.agents.values()} == {Teams(DUEL)}
    [batch] = Tournament(lineups=(("random", "grow", "grow", "grow"),), num_games=4).batches()
    assert {agent.teams for agent in seat_agents(batch).agents.values()} == {None}


def test_agents_in_environments_know_the_teams():
    agent = Asked(np.random.default_rng(0))
    env = ursuppe_v0.env(teams=DUEL)
    env.reset(seed=1)
    agent.act_in(env)
    assert agent.teams == Teams(DUEL)
    learner, alone = UrsuppeEnv(teams=UNEVEN, opponent=[agent]), UrsuppeEnv(opponent=agent)
    for env, teams in ((learner, Teams(UNEVEN)), (alone, None), (learner, Teams(UNEVEN))):
        env.reset(seed=1)
        assert agent.teams == teams
    next(record_games(1, players=[agent, None], teams=DUEL))
    assert agent.teams == Teams(DUEL)


def test_figures_count_teams():
    played = tournament("random", "grow", games=40)
    rows, summary = play_tournament(played, workers=1)
    teams = Teams(DUEL)
    markers, names = np.array(rows["markers"].to_list()), np.array(rows["agents"].to_list())[:, :2]
    places, wins = teams.places(markers), 1 - teams.ahead(markers)
    decisions = np.array(rows["decisions"].to_list()).reshape(-1, 2, 2).sum(axis=1)
    for figures in summary.agents:
        own = names == figures.agent
        assert figures.games == 40
        assert figures.win_rate.estimate == pytest.approx(wins[own].mean())
        assert [rate.estimate for rate in figures.win_rate_by_seat] == pytest.approx(
            [wins[own[:, team], team].mean() for team in (0, 1)]
        )
        assert figures.rank.estimate == pytest.approx(2 - wins[own].mean())
        assert figures.margin.estimate == pytest.approx((places[own] - places[~own]).mean() / 2)
        assert figures.decisions == pytest.approx(decisions[own].mean())
    assert sum(figures.win_rate.estimate for figures in summary.agents) == pytest.approx(1)
    one, other = (figures.agent for figures in summary.agents)
    assert summary.before[one, other].estimate == pytest.approx(summary.agents[0].win_rate.estimate)
    settings = summary.as_dict()["tournament"]
    assert (settings["teams"], settings["score"]) == ([[0, 2], [1, 3]], "worst")
    page = html_report(summary)
    assert "40 games of 4 players in 2 teams (seats 0+2,1+3; the worst marker of a team counts), edition 1998" in page
    assert "in all 2 rotations of the teams" in page
    assert "50.0 % of the games of its teams" in page
    assert "Wins by team" in page


def test_without_teams_the_settings_do_not_speak_of_them():
    settings = Tournament(lineups=(("random",) * 4,), num_games=4).as_dict()
    assert not {"teams", "score"} & set(settings)


def test_the_arena_command_plays_teams(capsys, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--teams", "0+2,1+3", "--games", "20", "--workers", "1"]
    assert run(["arena", "random", "grow", *options, "--out", "out"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("20 games, 10 seeds; 95 % intervals\n")
    assert json.loads((tmp_path / "out/settings.json").read_text())["teams"] == [[0, 2], [1, 3]]
    assert run(["arena", "random", "grow", "collector", *options]) == 0
    assert "wins of each of its teams" in capsys.readouterr().out
    for wrong, says in (
        (["--teams", "0+2"], "teams is ((0, 2),); there must be at least 2 teams"),
        (["--teams", "x"], "teams is 'x'; it must be the seats of each team"),
        (["--score", "sum"], "there are no teams"),
    ):
        assert run(["arena", "random", "grow", *wrong]) == 2
        assert says in capsys.readouterr().err


def duel(**changes) -> tuple[Session, Asked]:
    other = Asked(np.random.default_rng(0))
    agents, names = [None, other, None, other], [PERSON, "asked", PERSON, "asked"]
    return Session(new_game(Ruleset(), 1), agents, names, teams=Teams(DUEL), **changes), other


def test_a_person_decides_for_all_own_colours():
    session, other = duel()
    assert session.seats == (0, 2)
    session.go_on()
    asked, choices = set(), np.random.default_rng(1)
    while not session.is_over:
        asked.add(int(session.games.player[0]))
        session.choose(choices.choice(session.choices()).action)
        session.go_on()
    assert asked == {0, 2}
    assert other.seats == {1, 3}
    record = session.record()
    assert (record.teams, check(record)) == (Teams(DUEL), None)


def test_undo_reaches_over_decisions_of_all_own_colours():
    """Both colours of a person decide one after the other where no chance is between them: in phase 3, for example."""
    for seed in range(20):
        session, _ = duel()
        session.games = new_game(Ruleset(), seed)
        session.go_on()
        choices, before = np.random.default_rng(seed), -1
        while not session.is_over:
            player = int(session.games.player[0])
            if session.can_undo and player != before:
                session.undo()
                assert int(session.games.player[0]) == before
                return
            before = player
            session.choose(choices.choice(session.choices()).action)
            session.go_on()
    raise AssertionError("no person ever decided for one colour right after the other")


@pytest.mark.parametrize(
    ("agents", "teams", "says"),
    [
        ("aaaa", Teams(((0,), (1, 2))), "teams is 0,1+2; there are 4 players"),
        ("-aaa", Teams(DUEL), "agents has a person and an agent in team 0; one plays all seats of a team"),
    ],
)
def test_a_team_is_played_by_one(agents: str, teams: Teams, says: str):
    asked = [None if letter == "-" else Asked(np.random.default_rng(0)) for letter in agents]
    with pytest.raises(ValueError, match=re.escape(says)):
        Session(new_game(Ruleset(), 1), asked, [PERSON] * 4, teams=teams)


def test_a_person_plays_a_team_at_the_terminal(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    typed = iter(["1", "1", "q"])
    monkeypatch.setattr("rich.console.Console.input", lambda self, prompt: next(typed))
    options = ["--teams", "0+3,1+2", "--seat", "2", "--agents", "random", "--seed", "1", "--record", "game.jsonl"]
    assert run(["play", *options]) == 0
    assert "You play the colours 1 and 2; of a team the worst place counts." in capsys.readouterr().out
    [record] = read_records("game.jsonl")
    assert record.teams == Teams(((0, 3), (1, 2)))
    assert record.agents == ["random", PERSON, PERSON, "random"]
    typed = iter(["1"] * 100_000)
    assert run(["play", "--continue", "game.jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    [record] = read_records("game.jsonl")
    assert check(record) is None
    *_, end = replay(record)
    markers = end.games.markers[0]
    assert f"1. player {end.games.winner[0]}" in "\n".join(lines)
    places = {"0 and 3": min(markers[0], markers[3]), "1 and 2 (you)": min(markers[1], markers[2])}
    first, second = sorted(places, key=lambda team: -places[team])
    for rank, team in enumerate((first, second), start=1):
        number, you = (1, " (you)") if "you" in team else (0, "")
        players = team.removesuffix(" (you)")
        assert f"{rank}. team {number}{you}, players {players}: worst place {places[team]}" in lines
