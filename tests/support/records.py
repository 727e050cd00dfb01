"""Records of games that are not over."""

from dataclasses import replace

from ursuppe_env.records import Record, replay
from ursuppe_env.records.format import result


def left_after(record: Record, events: int) -> Record:
    """The record of a game that was left after so many events of this one."""
    left = replace(record, events=record.events[:events], result={}, legal=None, rounds=None)
    *_, last = replay(left)
    return replace(left, result=result(last.games, 0))
