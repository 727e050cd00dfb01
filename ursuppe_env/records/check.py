"""Compare a record with what the engine does."""

import json
from dataclasses import replace

from ursuppe_env.records.format import Record, RecordError
from ursuppe_env.records.replay import replay
from ursuppe_env.rules.ruleset import SWITCHES


def check(record: Record) -> str | None:
    """The first difference between the record and the engine: decisions, legal actions, states, result; or None.

    If there is none with one switch of the ruleset turned, that is said as well.
    """
    difference = _difference_or_error(record)
    if difference is None or record.position is not None:
        return difference
    for name in SWITCHES:
        turned = not getattr(record.ruleset, name)
        if _difference_or_error(replace(record, ruleset=record.ruleset.replace(**{name: turned}))) is None:
            return f"{difference}; there is no difference with {name} = {json.dumps(turned)}"
    return difference


def _difference_or_error(record: Record) -> str | None:
    try:
        for _ in replay(record):
            pass
    except RecordError as error:
        return str(error)
    except RecursionError:
        return "something in it is nested too deeply"
    return None
