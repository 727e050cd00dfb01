"""Records as tables: what stands in them, in which libraries, and what happens where something is wrong."""

import json
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas
import polars as pl
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import Record, RecordError, count_records, record_games, replay, replay_together, write_records
from ursuppe_env.records.format import snapshot
from ursuppe_env.teams import Teams
from ursuppe_lab.data import export_records, tables

from support.command import printed
from support.records import left_after

TABLES = ("games", "decisions", "rounds", "actions")
SEATS = ("hunter", "grow", "random")


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Two rulesets by turns."""
    players = [None if name == "random" else make_agent(name, 1) for name in SEATS]
    rulesets = [Ruleset(players=3), Ruleset(players=3, edition="1997", income=14)]
    return list(record_games(5, rulesets, seed=4, agents=SEATS, players=players, legal=True, rounds=True))


@pytest.fixture(scope="module")
def folder(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("data") / "games"
    exported = export_records(records, out, "uint8")
    assert (exported.games, exported.decisions) == (5, sum(len(record.legal) for record in records))
    return out


def test_each_decision_stands_in_the_table_as_in_the_record(records: list[Record], folder: Path):
    decisions = pl.read_parquet(folder / "decisions").partition_by("game", maintain_order=True)
    assert len(decisions) == len(records)
    for game, (record, table) in enumerate(zip(records, decisions, strict=True)):
        steps = [
            (step.event, step.games.state[0].copy(), step.games.observe(dtype=np.uint8)[0])
            for step in replay(record)
            if step.event is not None and len(step.event) == 3
        ]
        assert table["game"].unique().to_list() == [game]
        assert table["number"].to_list() == list(range(len(steps)))
        assert table["event"].to_list() == [n for n, event in enumerate(record.events) if len(event) == 3]
        rows = zip(steps, table.iter_rows(named=True), record.legal, strict=True)
        for ((decision, player, text), state, seen), row, legal in rows:
            assert (row["decision"], row["player"], row["text"]) == (decision, player, text)
            facts = state["round"], state["bp"][player], state["marker"][player]
            assert (row["round"], row["bp"], row["marker"]) == facts
            actions = Games(1, record.ruleset).actions
            assert row["action"] == actions.id(text, player)
            assert {actions.text(id, player) for id in row["legal"]} == set(legal)
            assert row["observation"] == seen.tolist()


def test_the_set_up_and_each_round_stand_in_the_table_as_in_the_record(records: list[Record], folder: Path):
    rows = pl.read_parquet(folder / "rounds").iter_rows(named=True)
    places = pl.read_parquet(folder / "games")["start_places"].to_list()
    for game, record in enumerate(records):
        set_up = next(snapshot(step.games, 0) for step in replay(record) if step.event and step.event[0] == "move")
        assert places[game] == set_up["markers"]  # that of the last one too, who has no choice
        for number, state in enumerate([set_up, *record.rounds]):
            for player in range(3):
                row = next(rows)
                assert row == {
                    "game": game,
                    "round": number,
                    "player": player,
                    "marker": state["markers"][player],
                    "bp": state["bp"][player],
                    "amoebas": len(state["amoebas"][player]),
                    "damage": sum(damage for _, _, damage in state["amoebas"][player]),
                    "food": sum(space[player] for space in state["food"]),
                    "genes": row["genes"],
                }
                assert set(row["genes"]) == set(state["genes"][player])
    assert next(rows, None) is None


def test_round_0_is_that_before_anything_that_nobody_is_asked_about(tmp_path: Path):
    """Without BP all drift, and eat what there is, before the first player is asked."""
    ruleset = Ruleset(players=4, start_bp=0, start_food=1)
    export_records(record_games(3, ruleset), tmp_path / "games")
    rounds = pl.read_parquet(tmp_path / "games" / "rounds").filter(pl.col("round") == 0)
    assert rounds.select("bp", "amoebas", "damage", "food").unique().rows() == [(0, 2, 1, 19)]


def test_each_game_stands_in_the_table_as_in_the_record(records: list[Record], folder: Path):
    rows = pl.read_parquet(folder / "games").iter_rows(named=True)
    for game, (record, row) in enumerate(zip(records, rows, strict=True)):
        assert (row["game"], row["seed"], row["agents"]) == (game, record.seed, list(SEATS))
        assert Ruleset.from_changes(row["players"], row["edition"], json.loads(row["ruleset"])) == record.ruleset
        assert {key: row[key] for key in ("winner", "rounds", "markers")} == record.result
        assert (row["teams"], row["score"], row["from_position"]) == (None, None, False)
        assert row["decisions"] == len(record.legal)
        assert ["start_order", row["start_order"]] in record.events


def test_every_action_is_in_words_for_every_seat(folder: Path):
    actions = pl.read_parquet(folder / "actions")
    known = Games(1, Ruleset(players=3)).actions
    assert actions.rows() == [(3, seat, id, known.text(id, seat)) for seat in range(3) for id in range(len(known))]


def test_the_tables_have_the_documented_columns(folder: Path):
    for name in TABLES:
        schema = dict(pl.read_parquet_schema(next((folder / name).iterdir())))
        if name == "decisions":
            assert schema.pop("observation") == pl.Array(pl.UInt8, 471)
        assert schema == dict(tables.SCHEMAS[name])
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    for name, schema in tables.SCHEMAS.items():
        section = page.partition(f"### `{name}`\n")[2].partition("\n#")[0]
        documented = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
        assert [column for column in documented if column != "observation"] == list(schema)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_the_scale_of_observations_is_in_the_metadata(records: list[Record], dtype: str, tmp_path: Path):
    export_records(records[:1], tmp_path / "games", dtype)
    file = tmp_path / "games" / "decisions" / "00000.parquet"
    described = json.loads(pl.read_parquet_metadata(file)["ursuppe.observation"])
    assert described["dtype"] == dtype
    part = described["parts"]["bp"]
    table = pl.read_parquet(file)
    seen = table["observation"].to_numpy()
    assert seen.dtype == np.dtype(dtype)
    own = seen[:, part["start"]].astype(float)
    number = own - part["offset"] if dtype == "uint8" else own * part["unit"]
    np.testing.assert_array_equal(np.rint(number), table["bp"])


def test_pandas_and_duckdb_read_the_same(folder: Path):
    for name in TABLES:
        ours, by_pandas = pl.read_parquet(folder / name), pandas.read_parquet(folder / name)
        by_duckdb = duckdb.sql(f"SELECT * FROM '{folder}/{name}/*.parquet'")
        assert list(by_pandas.columns) == by_duckdb.columns == ours.columns
        for column, values in zip(ours.columns, zip(*by_duckdb.fetchall(), strict=True), strict=True):
            assert same(by_pandas[column].tolist(), ours[column].to_list()), (name, column)
            assert same(list(values), ours[column].to_list()), (name, column)


def same(theirs: list, ours: list) -> bool:
    """The same values, whether lists are lists or arrays, and what is missing is None or not a number."""
    plain = [one.tolist() if isinstance(one, np.ndarray) else one for one in theirs]
    return len(plain) == len(ours) and all(a == b or (b is None and a != a) for a, b in zip(plain, ours, strict=True))


def test_many_games_fill_several_files_with_numbers_that_go_on(records: list[Record], tmp_path: Path, monkeypatch):
    monkeypatch.setattr("ursuppe_lab.data.export.GAMES_OF_A_FILE", 2)
    export_records(iter(records), tmp_path / "parts")
    assert len(list((tmp_path / "parts" / "decisions").iterdir())) == 3
    monkeypatch.undo()
    export_records(iter(records), tmp_path / "whole")
    for name in TABLES:
        assert pl.read_parquet(tmp_path / "parts" / name).equals(pl.read_parquet(tmp_path / "whole" / name))


def test_games_for_several_numbers_of_players_have_no_observations(records: list[Record], tmp_path: Path):
    mixed = [*records[:2], *record_games(1, Ruleset(players=5)), records[2]]
    export_records(mixed, tmp_path / "games")
    assert pl.read_parquet(tmp_path / "games" / "games")["players"].to_list() == [3, 3, 5, 3]
    assert set(pl.read_parquet(tmp_path / "games" / "actions")["players"]) == {3, 5}
    with pytest.raises(ValueError, match="game 3 has 5 players, those before have 3"):
        export_records(mixed, tmp_path / "more", "uint8")
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_games_left_in_the_middle_and_begun_from_a_position_are_exported_too(records: list[Record], tmp_path: Path):
    left = [left_after(records[0], count) for count in (0, 1, 2, 40, 200)]
    games = Games(1, Ruleset(players=3), 9)
    games.play_random(60)
    from_position = next(record_games(1, Ruleset(players=3)))
    begun = left_after(replace(from_position, position=games.to_dict(0)), 0)
    mixed = [*left, records[1], begun]
    export_records(mixed, tmp_path / "games")
    table = pl.read_parquet(tmp_path / "games" / "games")
    assert table["winner"].to_list() == [*[None] * 5, records[1].result["winner"], None]
    assert table["from_position"].to_list() == [False] * 6 + [True]
    counts = dict(pl.read_parquet(tmp_path / "games" / "decisions")["game"].value_counts().rows())
    asked = [sum(len(event) == 3 for event in record.events) for record in mixed]
    assert counts == {game: count for game, count in enumerate(asked) if count}


def test_teams_are_exported(tmp_path: Path):
    record = next(record_games(1, Ruleset(), teams=((0, 2), (1, 3)), agents=["one", "two"], score="sum"))
    assert record.teams == Teams(((0, 2), (1, 3)), "sum")
    export_records([record], tmp_path / "games")
    [row] = pl.read_parquet(tmp_path / "games" / "games").iter_rows(named=True)
    assert (row["teams"], row["score"]) == ([[0, 2], [1, 3]], "sum")
    assert row["agents"] == ["one", "two", "one", "two"]


def wrong(record: Record) -> list[Record]:
    """The record with something wrong, in several ways."""
    decision = next(n for n, event in enumerate(record.events) if len(event) == 3 and n > 30)
    before, event, after = record.events[:decision], record.events[decision], record.events[decision + 1 :]
    return [
        replace(record, events=record.events[:-1]),
        replace(record, events=[*record.events, ["die", 3]]),
        replace(record, events=[*before, [event[0], event[1], "buy everything"], *after]),
        replace(record, events=[*before, [event[0], (event[1] + 1) % 3, event[2]], *after]),
        replace(record, events=[["card", ["north", 99]], *record.events[1:]]),
    ]


def test_a_record_of_no_possible_game_is_named_as_a_replay_names_it(records: list[Record], tmp_path: Path):
    for bad in wrong(records[1]):
        with pytest.raises(RecordError) as alone:
            list(replay(bad))
        with pytest.raises(RecordError) as together:
            list(replay_together([records[0], bad, records[2]]))
        assert str(together.value) == f"game 2: {alone.value}"
        with pytest.raises(RecordError, match=r"^game 2: "):
            export_records([records[0], bad], tmp_path / "games")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_the_tables(records: list[Record], tmp_path: Path, capsys, refused):
    file, out = tmp_path / "games.jsonl.gz", tmp_path / "games"
    write_records(file, records)
    assert count_records(file) == 5
    told = printed(capsys, "export", file, "--out", out, "--observations", "float16")
    assert told == f"{out}: 5 games, {sum(len(record.legal) for record in records):,} decisions\n"
    assert sorted(path.name for path in out.iterdir()) == sorted(TABLES)
    refused(["export", file, "--out", out], f"{out} exists already; give the name of a new folder, or --force")


def test_force_writes_over_a_data_set_and_over_nothing_else(records: list[Record], tmp_path: Path, refused):
    file, out, other = tmp_path / "games.jsonl", tmp_path / "games", tmp_path / "other"
    write_records(file, records[:2])
    export_records(records, out)
    with pytest.raises(RecordError):
        export_records(wrong(records[1]), out, force=True)
    assert len(pl.read_parquet(out / "games")) == 5
    assert run(["export", str(file), "--out", str(out), "--force"]) == 0
    assert len(pl.read_parquet(out / "games")) == 2
    for name in ("letter.txt", "games/letter.txt"):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_text("mine")
        message = f"{other} is no data set of ursuppe export; --force writes over nothing else"
        refused(["export", file, "--out", other, "--force"], message)
        assert (other / name).read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", "games.jsonl", "other"]


@pytest.mark.parametrize("change", [{"winner": 1}, {"markers": [1, 2, 3]}, {"rounds": 1}])
def test_a_result_that_is_not_the_games_is_refused(records: list[Record], change, tmp_path: Path, refused):
    bad = replace(records[1], result=records[1].result | change)  # player 0 has won
    write_records(tmp_path / "bad.jsonl", [records[0], bad])
    message = f"bad.jsonl, game 2: result.{next(iter(change))}"
    refused(["export", tmp_path / "bad.jsonl", "--out", tmp_path / "games"], message)
    assert not (tmp_path / "games").exists()


def test_several_files_become_one_data_set(records: list[Record], tmp_path: Path, refused):
    first, second, whole = tmp_path / "first.jsonl", tmp_path / "second.jsonl.gz", tmp_path / "whole.jsonl"
    write_records(first, records[:2])
    write_records(second, records[2:])
    write_records(whole, records)
    assert run(["export", str(first), str(second), "--out", str(tmp_path / "of_two")]) == 0
    assert run(["export", str(whole), "--out", str(tmp_path / "of_one")]) == 0
    for name in TABLES:
        assert pl.read_parquet(tmp_path / "of_two" / name).equals(pl.read_parquet(tmp_path / "of_one" / name))
    write_records(second, [records[2], wrong(records[1])[0], records[3]])
    wrong_one = f"{second}, game 2: the record ends after"
    refused(["export", first, second, whole, "--out", tmp_path / "wrong"], wrong_one)


def test_the_command_says_in_one_line_what_is_wrong(records: list[Record], tmp_path: Path, refused):
    file, empty = tmp_path / "games.jsonl", tmp_path / "empty.jsonl"
    write_records(file, records)
    write_records(empty, [])
    for arguments, says in (
        ([file, "--out", tmp_path / "no" / "games"], "there is no folder"),
        ([file, "--out", tmp_path / "games", "--observations", "int4"], "it must be float32, float16 or uint8"),
        ([empty, "--out", tmp_path / "games"], "there are no records to export"),
        ([tmp_path / "none.jsonl", "--out", tmp_path / "games"], "none.jsonl"),
    ):
        refused(["export", *arguments], says)
    assert not (tmp_path / "games").exists()
