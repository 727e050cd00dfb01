"""Records of games in which teams played."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import Record, RecordError, check, read_records, record_games, replay, write_records
from ursuppe_env.teams import DUEL, Teams


@pytest.fixture(scope="module")
def duel() -> Record:
    (record,) = record_games(1, Ruleset(), seed=3, teams=DUEL, agents=["one", "other"], legal=True, rounds=True)
    return record


def test_a_record_says_who_played_together(duel: Record, tmp_path: Path):
    assert duel.teams == Teams(DUEL)
    assert duel.agents == ["one", "other", "one", "other"]
    write_records(tmp_path / "duel.jsonl", [duel, replace(duel, teams=Teams(DUEL, "sum"))])
    first, second = map(json.loads, (tmp_path / "duel.jsonl").read_text().splitlines())
    assert first["teams"] == second["teams"] == [[0, 2], [1, 3]]
    assert ("score" in first, second["score"]) == (False, "sum")
    assert [record.teams for record in read_records(tmp_path / "duel.jsonl")] == [Teams(DUEL), Teams(DUEL, "sum")]
    assert check(duel) is None


def test_the_game_is_the_same_without_teams(duel: Record):
    (alone,) = record_games(1, Ruleset(), seed=3, legal=True, rounds=True)
    assert "teams" not in alone.to_dict()
    assert replace(duel, teams=None, agents=None) == alone


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"teams": "0+2,1+3"}, "teams must be a list"),
        ({"teams": [[0, 2], [1]]}, "teams is [[0, 2], [1]], of 3 seats; there are 4 players"),
        ({"teams": [0, 1, 2, 3]}, "it must be the seats of each team"),
        ({"teams": [[0, 2], [1, 3]], "score": 1}, "score must be a string"),
        ({"score": "sum"}, "score is 'sum', but there are no teams"),
    ],
)
def test_wrong_teams_are_refused(duel: Record, wrong: dict, says: str):
    stored = {key: value for key, value in duel.to_dict().items() if key != "teams"} | wrong
    with pytest.raises(RecordError, match=re.escape(says)):
        Record.from_dict(stored)


@pytest.mark.parametrize("teams", [Teams(((0,), (1, 2))), DUEL, [[0, 2], [1, 3]]])
def test_teams_of_another_game_are_neither_replayed_nor_checked(duel: Record, teams):
    wrong = replace(duel, teams=teams)
    assert check(wrong).endswith("it must be Teams of 4 players, or None")
    with pytest.raises(RecordError, match="teams is"):
        next(replay(wrong))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"teams": ((0, 2), (1,))}, "there are 4 players"),
        ({"score": "best"}, "there are no teams"),
        ({"teams": DUEL, "players": [None] * 4}, "players has 4 entries; it must have 2, one a team"),
        ({"players": [None] * 2}, "players has 2 entries; it must have 4, one a seat"),
        ({"teams": DUEL, "agents": ["a"] * 4}, "agents has 4 names; it must have 2, one a team"),
        ({"agents": ["\ud800"] * 4}, "it must be a list of names, one a seat"),
        ({"agents": "abcd"}, "agents is 'abcd'; it must be a list of names, one a seat"),
        ({"agents": ["a"]}, "agents has 1 name; it must have 4, one a seat"),
    ],
)
def test_what_does_not_fit_the_teams_is_not_recorded(arguments: dict, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        record_games(1, Ruleset(), **arguments)


def test_the_command_records_teams(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("two_cards.toml").write_text('environment = [["west", 9], ["none", 14]]')
    options = ["--games", "2", "--seed", "3", "--teams", "0+3,1+2", "--score", "best", "--agents", "grow,random"]
    options += ["--ruleset", "two_cards.toml"]
    assert run(["record", "games.jsonl", *options]) == 0
    records = list(read_records("games.jsonl"))
    assert {record.teams for record in records} == {Teams(((0, 3), (1, 2)), "best")}
    assert [record.agents for record in records] == [["grow", "random", "random", "grow"]] * 2
    assert run(["check", "games.jsonl"]) == 0
    assert run(["replay", "games.jsonl"]) == 0
    assert "games.jsonl, game 1, teams 0+3,1+2 · decision 1 of" in capsys.readouterr().out
