"""Game records (records.md): write, read, replay step by step, check."""

from ursuppe_env.records.format import Record, RecordError, count_records, read_records, record_of, write_records
from ursuppe_env.records.recorder import record_games
from ursuppe_env.records.replay import Moment, Step, check, replay, replay_together

__all__ = [
    "Moment",
    "Record",
    "RecordError",
    "Step",
    "check",
    "count_records",
    "read_records",
    "record_games",
    "record_of",
    "replay",
    "replay_together",
    "write_records",
]
