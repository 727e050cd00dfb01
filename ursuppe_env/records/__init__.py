"""Game records (records.md): write, read, replay step by step, check."""

from ursuppe_env.records.check import check
from ursuppe_env.records.format import Record, RecordError, read_records, record_of, write_records
from ursuppe_env.records.recorder import record_games
from ursuppe_env.records.replay import Step, replay

__all__ = [
    "Record",
    "RecordError",
    "Step",
    "check",
    "read_records",
    "record_games",
    "record_of",
    "replay",
    "write_records",
]
