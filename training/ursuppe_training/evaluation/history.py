"""The evaluations of a run, one after the other: a file of JSON lines, a win rate each, in the run's folder."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ursuppe_env.files import write_atomically
from ursuppe_env.parsing import parse_json
from ursuppe_training.evaluation.evaluate import Evaluation

HISTORY = "evaluations.jsonl"

_FOLDERS = re.compile(r"(?<=[:=])[^,:=]*[/\\]")  # of a file in a spec


@dataclass(frozen=True)
class WinRate:
    """A win rate during a run.

    Attributes:
        step: decisions that the policy had learned from.
        seconds: of training until then.
        opponent: its spec, P-1 of them were at the table; ``mixed``, different agents; or ``best``, the best policy of
            the run until then.
        mean: the win rate.
        low: where its 95 % interval begins; None: too few seeds for one.
        high: where it ends; None likewise.
        games: that were played.
        chance: the win rate of a player as strong as the others.
        best: the win rate of the best policy until then at the same tables, with the same dice; against ``best`` that
            of the best policy alone among copies of this one. None if this is the first evaluation.
    """

    step: int
    seconds: float
    opponent: str
    mean: float
    low: float | None
    high: float | None
    games: int
    chance: float
    best: float | None = None


def win_rates_of(
    evaluation: Evaluation, step: int, seconds: float, best: Mapping[str, float] | None = None
) -> list[WinRate]:
    """The win rates of an evaluation of a policy as it was after ``step`` decisions and ``seconds`` of training.

    Args:
        best: the win rates of the best policy until then, by opponent.
    """
    before, chance = best or {}, evaluation.chance
    return [
        WinRate(step, seconds, one.opponent, *one.win_rate, one.games, chance, before.get(one.opponent))
        for one in evaluation.results
    ]


def in_short_name(agent: str) -> str:
    """An agent's spec; of files the names without their folders."""
    return _FOLDERS.sub("", agent)


def in_short(win_rates: Sequence[WinRate]) -> str:
    """In a line."""
    return ", ".join(f"{in_short_name(win_rate.opponent)} {win_rate.mean:.0%}" for win_rate in win_rates)


def write_history(path: Path, history: Sequence[WinRate]) -> None:
    """Write win rates, whole or not at all, in place of those that the file has.

    Raises:
        OSError: the file cannot be written.
    """
    write_atomically(path, "".join(json.dumps(asdict(win_rate)) + "\n" for win_rate in history).encode())


def read_history(path: Path) -> list[WinRate]:
    """All win rates in a file of ``write_history``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged; the message says in which line.
    """
    history = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            history.append(WinRate(**parse_json(line)))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: it is damaged, or no history of evaluations") from error
    return history
