"""Damaged and foreign files of records: ``ursuppe check`` says what is wrong in one line, and comes to an end."""

import copy
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import record_games
from ursuppe_env.records.format import LONGEST_LINE as LONGEST

RIGHT, DIFFERENT, WRONG = 0, 1, 2
LONGEST_MESSAGE = 2000
pytestmark = pytest.mark.timeout(200)  # seconds, for files that take far less than one
SMALL = Ruleset(players=3, start_bp=20, environment=[("west", 6), ("none", 9), ("north", 4)])


@pytest.fixture(scope="module")
def games() -> list[dict[str, Any]]:
    return [record.to_dict() for record in record_games(3, SMALL, seed=1, legal=True, rounds=True)]


def as_lines(games: list[Any]) -> bytes:
    return "".join(json.dumps(game) + "\n" for game in games).encode()


class Checked:
    """``ursuppe check`` of one file, within its time."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, content: bytes, name: str = "games.jsonl") -> int:
        """The exit status; it never is a traceback, and each problem is one line."""
        file = self.folder / name
        file.write_bytes(content)
        status = run(["check", str(file)])
        self.out, self.err = self.capsys.readouterr()
        self._check_what_it_says(status, file)
        assert [left.name for left in self.folder.iterdir()] == [name]
        return status

    def _check_what_it_says(self, status: int, file: Path) -> None:
        said = self.out.splitlines()
        assert all(len(line) < LONGEST_MESSAGE for line in (*said, *self.err.splitlines()))
        if status == WRONG:
            assert self.err.startswith("ursuppe: ")
            assert str(file) in self.err
            assert self.err.count("\n") == 1
            assert all(line.startswith(f"{file}, game ") for line in said)
        else:
            assert status in (RIGHT, DIFFERENT)
            assert self.err == ""
            assert said[-1].endswith((" differ", " differs"))
            assert all(line.startswith(f"{file}, game ") for line in said[:-1])
            assert (len(said) > 1) == (status == DIFFERENT)


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Checked:
    return Checked(tmp_path, capsys)


def test_what_is_not_damaged_is_right(games: list, checked: Checked):
    assert checked(as_lines(games)) == RIGHT
    assert checked(as_lines(games[::-1])) == RIGHT  # each game stands for itself
    assert checked(as_lines(games).replace(b"\n", b"\r\n\n")) == RIGHT


@pytest.mark.parametrize("part", range(0, 10, 3))
@pytest.mark.parametrize(("name", "pack"), [("games.jsonl", bytes), ("games.jsonl.gz", gzip.compress)])
def test_a_truncated_file(games: list, checked: Checked, name: str, pack: Callable[[bytes], bytes], part: int):
    whole = pack(as_lines(games))
    assert checked(whole[: 1 + len(whole) * part // 10 + part], name) == WRONG


@pytest.mark.parametrize("seed", range(8))
def test_bytes_changed_in_a_compressed_file(games: list, checked: Checked, seed: int):
    chance, damaged = random.Random(seed), bytearray(gzip.compress(as_lines(games)))
    damaged[chance.randrange(10, len(damaged))] ^= 1 << chance.randrange(8)
    assert checked(bytes(damaged), "games.jsonl.gz") == WRONG


@pytest.mark.parametrize("seed", range(15))
def test_bytes_changed_in_a_file(games: list, checked: Checked, seed: int):
    chance, damaged = random.Random(seed), bytearray(as_lines(games))
    for _ in range(chance.choice((1, 3, 30))):
        at = chance.randrange(len(damaged))
        change = chance.choice(("flip", "insert", "delete"))
        if change == "flip":
            damaged[at] = chance.randrange(256)
        elif change == "insert":
            damaged.insert(at, chance.randrange(256))
        else:
            del damaged[at : at + chance.choice((1, 10, 1000))]
    checked(bytes(damaged))


NO_TEXT, NO_OBJECT, TOO_LONG = "not UTF-8 text", "a record must be a JSON object", "longer than 4,000,000 bytes"
FOREIGN: list[tuple[bytes, str]] = [
    *((b"\xff\xfe\x00", f"line 1: {NO_TEXT}"), ("{}".encode("utf-16"), f"line 1: {NO_TEXT}")),
    *((b"\xef\xbb\xbf{}", "line 1: "), (b"\x00" * 1000, "line 1: "), (b"\n" * 200_000, "")),
    *((b"{", "line 1: not JSON"), (b"name,score\nada,3\n", "line 1: not JSON"), (b"1e400", "line 1: ")),
    *((b"[]", f"line 1: {NO_OBJECT}"), (b"\n\n3\n", f"line 3: {NO_OBJECT}"), (b"null", f"line 1: {NO_OBJECT}")),
    *((b"NaN", "not JSON: NaN is no number"), (b'{"a": -Infinity}', "not JSON: -Infinity is no number")),
    *((b"{}", "line 1: "), (b'{"format": "ursuppe-record/2"}', "line 1: ")),
    (b"-" + b"9" * 1_000_000, "line 1: a number in it has too many digits: 1,000,001"),
    (b'{"players": ' + b"9" * 10_000 + b"}", "line 1: a number in it has too many digits: 10,000"),
    (b'{"result": {"winner": 0, "winner": 1}}', "line 1: the key 'winner' occurs twice in an object"),
    *((b'{"format": "' + b"x" * 5_000_000 + b'"}', TOO_LONG), (b'{"' + b"x" * 5_000_000 + b'": 1}', TOO_LONG)),
    *((b"\n" + b" " * (LONGEST + 1), f"line 2: {TOO_LONG}"), (b"[" * (LONGEST + 1), TOO_LONG)),
    *((b"[" * 1_000_000, "nested too deeply"), (b'{"a":' * 500_000, "nested too deeply")),
    (b'{"rounds": ' + b"[" * 20 + b"]" * 20 + b"}", "line 1: nested too deeply"),
    *((b'{"format": "\\ud800", "\\ud800": 1}', ""), (b'{"format": "\\n\\n\\u2028\\u0085\\r"}', "")),
]
PACKED: list[tuple[bytes, str]] = [
    (gzip.compress(b" " * (LONGEST + 1), mtime=0), f"line 1: {TOO_LONG}"),
    (b"{}\n", "not a whole gzip file"),
    (gzip.compress(b"x" * 9999, mtime=0)[:-8], "not a whole gzip file"),
]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        *(("a.jsonl", *foreign) for foreign in FOREIGN),
        *(("a.jsonl.gz", *foreign) for foreign in PACKED),
        ("a.json", b"{}\n", "must end in .jsonl or .jsonl.gz"),
    ],
    ids=range(len(FOREIGN) + len(PACKED) + 1),
)
def test_foreign_content_is_refused_with_its_place(checked: Checked, name: str, content: bytes, says: str):
    assert checked(content, name) == WRONG
    assert says in checked.err


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


STRANGE: list[Any] = [
    *(None, True, 0, -1, 3.0, 1e300, 2**63, 10**4000),
    *("", "x" * 10_000, "a\nb\rc\u2028d", "\ud800", "\x1b[31m", "[bold]"),
    *([], {}, [[True, None]], [0] * 10_000, {"\n": "\n"}, {"x\n" * 10_000: 1}, nested(50), nested(900)),
]
#: Places that a sample of all may miss.
INSIDE = [("events", 5), ("events", 5, 2), ("legal", 0), ("rounds", 0), ("result", "winner"), ("result", "markers")]
INSIDE += [("ruleset", "start_bp"), ("ruleset", "environment"), ("ruleset", "environment", 0)]


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The way to each place in a JSON value."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        found += places(part, (*path, key))
    return found


def put(value: Any, path: tuple, part: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = part


@pytest.mark.parametrize("number", range(len(STRANGE)))
def test_strange_values_anywhere(games: list, checked: Checked, number: int):
    chance = random.Random(number)
    by_key = [(key,) for key in games[0]]
    for path in by_key + INSIDE + chance.sample(places(games[0])[1:], 4):
        damaged = copy.deepcopy(games[0])
        put(damaged, path, STRANGE[number])
        status = checked(as_lines([damaged]))
        harmless = path[0] in ("seed", "agents", "layout") or damaged == games[0]
        assert harmless or status != RIGHT or STRANGE[number] is None, path


def damage(events: list, what: str, chance: random.Random) -> None:
    at = chance.randrange(len(events))
    event = events[at]
    decision = chance.choice([event for event in events if len(event) == 3])
    match what:
        case "an event twice":
            events.insert(at, copy.deepcopy(event))
        case "an event less":
            del events[at]
        case "other players":
            player = decision[1]
            decision[1] = chance.choice([-1, 3, 99, (player + 1) % 3, str(player), float(player), [player], 10**30])
        case "other actions":
            wrong = [f"{decision[2]} ", decision[2].upper(), "attack 0.9", "meal 9-9-9", "space 0", 5, ["pass"], {}]
            decision[2] = chance.choice(wrong)
        case "other values":
            wrong = [0, 7, 1.5, "one", [1], [7, 7], ["west"], ["west", 6.5], [2, 1, 0, 3], [0, 0, 0], {}, None]
            chance.choice([event for event in events if len(event) == 2])[1] = chance.choice(wrong)
        case "one entry less":
            event.pop()
        case "one entry more":
            event.append(0)
        case "other kinds":
            wrong = [["die", 3], ["card", ["west", 6]], ["fight", "attacker"], ["meal", 0, "pass"], "drift", None]
            events[at] = chance.choice(wrong) if at else ["die", 3]
        case "another order":
            part = events[at : at + 10]
            chance.shuffle(part)
            events[at : at + 10] = part


DAMAGES = ["an event twice", "an event less", "other players", "other actions", "other values"]
DAMAGES += ["one entry less", "one entry more", "other kinds", "another order"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_events(games: list, checked: Checked, what: str, seed: int):
    damaged = copy.deepcopy(games[seed % 3])
    before = copy.deepcopy(damaged["events"])
    damage(damaged["events"], what, random.Random(seed))
    status = checked(as_lines([games[0], damaged, games[2]]))
    assert (status == RIGHT) == (json.dumps(damaged["events"]) == json.dumps(before))


@pytest.mark.parametrize("seed", range(8))
def test_parts_of_another_game(games: list, checked: Checked, seed: int):
    chance = random.Random(seed)
    damaged, other = copy.deepcopy(games[0]), chance.choice(games[1:])
    key = chance.choice(["events", "legal", "rounds", "result"])
    damaged[key] = other[key]
    assert checked(as_lines([damaged])) == DIFFERENT
