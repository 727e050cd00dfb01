"""Games by an independent implementation of the rules: same decisions, legal actions and states."""

from functools import cache
from pathlib import Path

import pytest

from ursuppe_env.records import Record, check, read_records

GOLDEN = Path(__file__).parent / "golden"
GAMES_OF_EACH_KIND = {"standard": 8, "rich": 25}


@cache
def golden(name: str) -> list[Record]:
    return list(read_records(GOLDEN / f"{name}.jsonl.gz"))


@pytest.mark.parametrize("edition", ["1998", "1997"])
@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("name", ["standard", "rich"])
def test_the_engine_plays_the_golden_games(name: str, players: int, edition: str):
    records = [r for r in golden(name) if (r.ruleset.players, r.ruleset.edition) == (players, edition)]
    assert len(records) == GAMES_OF_EACH_KIND[name]
    for number, record in enumerate(records):
        assert record.legal is not None
        assert record.rounds is not None
        assert check(record) is None, f"{name}, {players} players, {edition}, game {number}"
