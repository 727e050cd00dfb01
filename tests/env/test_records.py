"""Records: written, read, replayed and checked (records.md)."""

import copy
import gzip
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.records import (
    Record,
    RecordError,
    check,
    read_records,
    record_games,
    replay,
    replay_together,
    write_records,
)
from ursuppe_env.records.format import LONGEST_LINE, result
from ursuppe_env.records.recorder import record_from

from support.records import left_after


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(record_games(3, Ruleset(players=3), seed=7, legal=True, rounds=True, agents=["random"] * 3))


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_file_of_records_reads_as_it_was_written(records: list[Record], name: str, tmp_path: Path):
    assert write_records(tmp_path / name, records) == 3
    assert list(read_records(tmp_path / name)) == records
    assert [file.name for file in tmp_path.iterdir()] == [name]


#: Many cards of what the switches are about.
RICH = Ruleset(start_bp=40, income=30, cards=dict.fromkeys(["holding", "substitution", "movement_1", "movement_2"], 6))


@pytest.mark.parametrize("name", ["own_clinging", "early_clinging", "free_stay", "even_substitution"])
def test_check_names_a_switch_that_would_explain_all_differences(name: str):
    turned = not getattr(RICH, name)
    records = list(record_games(10, RICH.replace(**{name: turned}), seed=3, legal=True, rounds=True))
    assert [check(record) for record in records] == [None] * 10
    differences = [check(replace(record, ruleset=RICH)) for record in records]
    found = [difference for difference in differences if difference is not None]
    assert found
    for difference in found:
        assert difference.startswith("event ")
        assert difference.endswith(f"; there is no difference with {name} = {json.dumps(turned)}")


def test_check_names_no_switch_where_none_explains_all_differences():
    (record,) = record_games(1, RICH.replace(own_clinging=True, income=29), seed=3, legal=True, rounds=True)
    assert "there is no difference with" not in check(replace(record, ruleset=RICH))


def test_changed_numbers_and_switches_travel_with_the_record(tmp_path: Path):
    numbers = {"price": {"speed": 1}, "income": 12, "environment": [["none", 3], ["west", 4], ["east", 5]]}
    ruleset = Ruleset(players=3, edition="1997", own_clinging=False, same_victim=False, free_stay=True, **numbers)
    write_records(tmp_path / "games.jsonl", record_games(1, ruleset))
    stored = json.loads((tmp_path / "games.jsonl").read_text())
    assert stored["ruleset"] == {**numbers, "own_clinging": False, "free_stay": True}
    assert next(read_records(tmp_path / "games.jsonl")).ruleset == ruleset
    # What is as in the edition may be said as well.
    again = Record.from_dict(stored | {"ruleset": stored["ruleset"] | {"same_victim": False}})
    assert again.ruleset == ruleset
    assert check(again) is None


def changed(record: Record, change) -> Record:
    data = copy.deepcopy(record.to_dict())
    change(data)
    return Record.from_dict(data)


def set_event(name: str, value):
    """Changes the first event of this name."""

    def change(data: dict) -> None:
        events = data["events"]
        events[[event[0] for event in events].index(name)] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d["events"].pop(), "the record ends after"),
        (lambda d: d["events"].append(["die", 3]), "but the game is over"),
        (lambda d: d["events"].insert(1, ["die", 3]), "event 1 is ['die', 3], but start_order is next"),
        (set_event("start_order", ["start_order", [0, 0, 1]]), "start_order cannot be [0, 0, 1]"),
        (set_event("card", ["card", ["west", 7]]), "card cannot be ['west', 7]"),
        (set_event("place", ["place", 1, "space 20"]), "'space 20' is not an action"),
        (set_event("place", ["place", 9, "space 2"]), "but place of player"),
        (set_event("place", ["number", 0, "amoeba 1"]), "but place of player"),
        (lambda d: d["legal"][0].remove("start 1"), "only in the engine start 1"),
        (lambda d: d["legal"][0].append("pass"), "only in the record pass"),
        (lambda d: d["legal"][0].append("start 1"), "only in the record start 1"),
        (lambda d: d["legal"].pop(), "has no legal actions for this decision"),
        (lambda d: d["legal"].append(["pass"]), "legal has"),
        (lambda d: d["rounds"][2]["bp"].__setitem__(1, 99), "after round 3: state.bp[1] is 99 in the record"),
        (lambda d: d["rounds"][0]["food"][18].__setitem__(2, 9), "after round 1: state.food[18][2] is 9"),
        (lambda d: d["rounds"].pop(), "the record has no state after round"),
        (lambda d: d["rounds"].append({}), "rounds has"),
        (lambda d: d["result"].update(winner=(d["result"]["winner"] + 1) % 3), "result.winner is"),
        (lambda d: d["result"]["markers"].__setitem__(1, 99), "result.markers[1] is 99 in the record and"),
        (lambda d: d["result"].update(rounds=1), "result.rounds is 1 in the record and 10 in the engine"),
    ],
)
def test_check_names_the_first_difference(records: list[Record], change, says: str):
    """And whoever replays it meets the same one, alone or together with others."""
    record = changed(records[0], change)
    assert says in check(record)
    with pytest.raises(RecordError, match=re.escape(says)):
        list(replay(record))
    with pytest.raises(RecordError, match=f"^game 2: .*{re.escape(says)}"):
        list(replay_together([records[1], record]))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(format="ursuppe-record/9"), "format is 'ursuppe-record/9'"),
        (lambda d: d.update(players=7), "players is 7; it must be an integer from 3 to 6"),
        (lambda d: d.update(players=True), "players must be an integer"),
        (lambda d: d.update(edition="2001"), "edition is '2001'"),
        (lambda d: d.update(ruleset={"income": -1}), "income is -1"),
        (lambda d: d.update(ruleset={"own_clinging": None}), "own_clinging is None; it must be true or false"),
        (lambda d: d.update(events={}), "events must be a list"),
        (lambda d: d.update(extra=1), "unknown key 'extra'"),
        (lambda d: d.pop("result"), "the key 'result' is missing"),
        (lambda d: d.update(agents=["random"]), "agents is ['random']; it must be 3 names, one a seat"),
        (lambda d: d.update(agents=["a", "b", None]), "it must be 3 names, one a seat"),
        (lambda d: d.update(agents=["a", "b", "\ud800"]), "it must be texts of whole characters"),
        (lambda d: d.update(seed=-1), "seed is -1; it must be an integer from 0 to 2**64 - 1"),
        (lambda d: d.update(seed=2**64), "seed is 18446744073709551616; it must be"),
        (lambda d: d.update(result={}), "result must have the keys"),
        (lambda d: d["result"].update(winner=300), "result.winner is 300; it must be an integer from -1 to 2"),
        (lambda d: d["result"].update(winner=True), "result.winner is True; it must be"),
        (lambda d: d["result"].update(rounds=99), "result.rounds is 99; it must be an integer from 0 to 10"),
        (lambda d: d["result"].update(markers="none"), "result.markers is 'none'; it must be 3 places, one a player"),
        (lambda d: d["result"]["markers"].pop(), "it must be 3 places, one a player"),
        (lambda d: d["result"]["markers"].__setitem__(2, 99_999), "result.markers[2] is 99999; it must be"),
        (lambda d: d["legal"].__setitem__(4, "pass"), "legal[4] must be a list"),
        (lambda d: d["rounds"].__setitem__(1, []), "rounds[1] must be an object"),
        (lambda d: d["events"].insert(3, ["dice"]), "event 3 is ['dice']"),
        (lambda d: d["events"].insert(3, 5), "event 3 is 5"),
        (set_event("start_order", ["start_order", [True, False, 2]]), "event 1 is ['start_order', [True, False, 2]]"),
        (set_event("start_place", ["start_place", True, "start 1"]), "event 2 is ['start_place', True, 'start 1']"),
    ],
)
def test_what_is_no_record_is_refused(records: list[Record], change, says: str):
    with pytest.raises(RecordError, match=re.escape(says)):
        changed(records[0], change)


@pytest.mark.parametrize("events", [0, 1, 2, 50, 150])
def test_the_record_of_a_game_that_is_not_over_ends_where_it_was_left(records: list[Record], events: int):
    record = left_after(records[0], events)
    assert not record.is_finished
    assert records[0].is_finished
    assert check(record) is None
    steps = list(replay(record))
    assert [(step.number, step.event) for step in steps if step.event] == [*enumerate(record.events)]
    wrong = replace(record, result=record.result | {"rounds": 99})
    assert check(wrong).startswith("result.rounds is 99 in the record")
    assert check(replace(record, result=record.result | {"winner": 0})).startswith(f"the record ends after {events}")


def test_a_game_left_in_the_pause_after_a_round_is_right_whether_the_next_round_counts_or_not(records: list[Record]):
    number, paused = next((s.number, result(s.games, 0)) for s in replay(records[0]) if s.event is None)
    record = left_after(records[0], number)
    assert [paused["rounds"], record.result["rounds"]] == [1, 2]
    assert check(record) is None
    assert check(replace(record, result=paused)) is None
    assert check(replace(left_after(records[0], number + 1), result=paused)) == (
        "result.rounds is 1 in the record and 2 in the engine"
    )


def test_a_game_that_is_over_is_no_unfinished_one(records: list[Record]):
    record = replace(records[0], result=records[0].result | {"winner": -1})
    assert check(record) == f"result.winner is -1 in the record and {records[0].result['winner']} in the engine"


def from_position() -> Record:
    """A game that began from the middle of another one."""
    games = Games(1, Ruleset(players=3), seed=4)
    games.play_random(90)
    position = games.to_dict(0)
    games = Games.from_dict(position, explicit_chance=True, pause_after_rounds=True)
    (record,) = record_from(games, [None], [None], [None] * 3)
    return replace(record, position=position)


def test_a_record_can_begin_from_a_position(tmp_path: Path):
    record = from_position()
    write_records(tmp_path / "games.jsonl", [record])
    (read,) = read_records(tmp_path / "games.jsonl")
    assert read == record
    assert check(read) is None
    assert check(left_after(read, 40)) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: p | {"markers": [1, 1, 2]}, "the position cannot be read: the markers of players 0 and 1 both"),
        (lambda p: p | {"ruleset": {"income": 11}}, "another ruleset than the record: income is 11, not 10"),
        (lambda p: p | {"ruleset": {"own_clinging": True}}, "than the record: own_clinging is true, not false"),
        (lambda p: p | {"bp": [0, 0, 0]}, "event "),
    ],
)
def test_another_position_is_noticed(change, says: str):
    record = from_position()
    assert says in check(replace(record, position=change(record.position)))


def test_no_real_record_comes_near_the_longest_line():
    """The ruleset makes all of it as long as it can be."""
    places = {"amoebas": 7, "amoeba_places": [0] * 8, "gene_places": [0], "end_zone": 250}
    plenty = {"cubes": 120, "start_food": 6, "start_bp": 99, "income": 99, "environment": [["west", 0]] * 32}
    ruleset = Ruleset(players=6, **places, **plenty)
    (record,) = record_games(1, ruleset, legal=True, rounds=True)
    assert 500_000 < len(json.dumps(record.to_dict())) < LONGEST_LINE / 3


MEASURED = """
import resource, sys
from ursuppe_env.cli import run

right, *bombs = sys.argv[1:]
run(["check", right])  # what has to be loaded is
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for bomb in bombs:
    assert [run([*command, bomb]) for command in (["check"], ["play", "--continue"])] == [2, 2]
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path):
    write_records(tmp_path / "right.jsonl", record_games(1, Ruleset()))
    bombs = {
        "spaces.jsonl.gz": gzip.compress(b" " * 10**6) * 1000,
        "lists.jsonl.gz": gzip.compress(b'{"events": [' + b"[]," * (LONGEST_LINE // 3 - 10) + b"0]}"),
        "objects.jsonl.gz": gzip.compress(b'{"events": [' + b'{"":[]},' * (LONGEST_LINE // 8 - 10) + b"0]}"),
    }
    for name, content in bombs.items():
        assert len(content) < 2_000_000
        (tmp_path / name).write_bytes(content)
    files = [str(tmp_path / name) for name in ("right.jsonl", *bombs)]
    done = subprocess.run([sys.executable, "-c", MEASURED, *files], capture_output=True, text=True)
    said = done.stderr.splitlines()
    assert len(said) == 6
    for line, file in zip(said, np.repeat(files[1:], 2), strict=True):
        assert line.startswith(f"ursuppe: {file}, line 1: ")
    taken = [int(line) for line in done.stdout.splitlines()[1:]]  # MB
    assert len(taken) == 3
    assert max(taken) < 200
