"""A recorded game analysed: every decision judged, by workers and part by part, and which of them were mistakes."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ursuppe_env import Games, __version__
from ursuppe_env.records import Record, replay
from ursuppe_env.teams import Teams
from ursuppe_env.validation import checked_seed
from ursuppe_lab.jobs.folder import RunFolder, do_parts
from ursuppe_lab.statistics.discoveries import adjusted, counts
from ursuppe_play.analysis.analysts import Opinion, analyst_for
from ursuppe_play.analysis.judgement import Judgement, judge

_DECISIONS_A_PART = 4  # so that an interruption loses little
_SCHEMA = pl.Schema({"decision": pl.Int64(), "opinion": pl.String()})
_ANALYSTS_KEPT = 2  # by a worker


@dataclass(frozen=True)
class JudgedDecision:
    """A decision of a record.

    Attributes:
        number: of the decision, from 1.
        event: its number in the record's ``events``, from 0.
        round: the round that it belongs to, 0 in the set-up.
        asked: the name of the decision.
        judgement: of the decision.
        is_mistake: is the action worse than the best one by more than the noise of the samples explains, all decisions
            and actions of the analysis considered? By chance alone that is said of one of twenty of those listed.
    """

    number: int
    event: int
    round: int
    asked: str
    judgement: Judgement
    is_mistake: bool

    def as_dict(self) -> dict[str, Any]:
        """As a line of ``decisions.jsonl`` has it (docs/analysis.md)."""
        judgement = self.judgement.as_dict()
        actions = judgement["actions"]
        return {
            "decision": self.number,
            **{name: getattr(self, name) for name in ("event", "round", "asked")},
            **{name: judgement[name] for name in ("player", "chances", "noise")},
            **{name: actions[judgement[name]]["action"] for name in ("taken", "best")},
            **{name: judgement[name] for name in ("gave_away", "gave_away_noise")},
            "is_mistake": self.is_mistake,
            "actions": actions,
        }


@dataclass(frozen=True)
class GameAnalysis:
    """A recorded game with all of its decisions judged by an agent.

    Attributes:
        record: of the game.
        agent: its spec.
        samples: what the agent did to each decision, such as "256 play-outs a decision, at least 32 an action".
        method: what the agent did, in a few sentences.
        decisions: those that were judged, in their order.
    """

    record: Record
    agent: str
    samples: str
    method: str
    decisions: tuple[JudgedDecision, ...]

    @property
    def mistakes(self) -> tuple[JudgedDecision, ...]:
        """The mistakes, the largest first."""
        found = [decision for decision in self.decisions if decision.is_mistake]
        return tuple(sorted(found, key=lambda decision: -(decision.judgement.gave_away or 0)))


def analyse_game(
    record: Record,
    agent: str,
    folder: Path | None = None,
    workers: int | None = None,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    *,
    seats: Sequence[int] | None = None,
    playouts: int | None = None,
    on_judged: Callable[[JudgedDecision], None] | None = None,
) -> GameAnalysis:
    """Judge every decision of a recorded game.

    The result is the same whatever the workers, but for agents with a time budget.

    Args:
        record: of the game; it need not be over.
        agent: the spec of one that searches, or of a policy.
        folder: where to keep what is done, so that the same call resumes an interrupted one. None: nowhere.
        workers: processes; None: one per core.
        seed: of what the agent draws.
        on_progress: called with the number of decisions that are judged, at first and then after each part.
        seats: whose decisions are judged; None: everybody's.
        playouts: of a decision; None: as ``analyst_for`` says.
        on_judged: called with each decision as soon as it is judged, in any order; what is a mistake is not known yet.

    Raises:
        RecordError: the record is not of a possible game.
        ValueError: the game has no decisions, the spec describes no agent that says something of chances of winning in
            such games, or the folder belongs to something else.
        OSError: a file cannot be read or written.
    """
    checked_seed("seed", seed)
    decisions = list(_decisions(record, seats))
    if not decisions:
        whose = "" if seats is None else f" of player {' and '.join(map(str, seats))}"
        raise ValueError(f"the record has no decisions{whose}; there is nothing to analyse")
    analyst = analyst_for(agent, seed, playouts, record.teams)
    analyst.examine(decisions[0].games).go_on()  # what is wrong shows, and is compiled, before the workers begin
    kept = None
    if folder is not None:
        settings = {
            "version": __version__,
            "record": sha256(json.dumps(record.to_dict(), sort_keys=True).encode()).hexdigest(),
            "agent": agent,
            "samples": analyst.samples,
            "seed": seed,
            "seats": None if seats is None else list(seats),
        }
        kept = RunFolder(folder, settings, _SCHEMA, [agent], [record.ruleset.players])
    states = [decision.games for decision in decisions]
    parts = [
        _Part(start, states[start : start + _DECISIONS_A_PART], (agent, seed, playouts, record.teams))
        for start in range(0, len(decisions), _DECISIONS_A_PART)
    ]
    judged: dict[int, JudgedDecision] = {}

    def accept(rows: pl.DataFrame) -> None:
        for place, text in rows.iter_rows():
            one = decisions[place]
            judgement = judge(one.games, Opinion.from_dict(json.loads(text)), one.taken)
            judged[place] = JudgedDecision(one.number, one.event, int(one.games.rounds[0]), one.asked, judgement, False)
            if on_judged is not None:
                on_judged(judged[place])

    do_parts(_examine_part, parts, _keys_of, kept, workers, on_progress=on_progress, on_rows=accept)
    found = [judged[place] for place in range(len(decisions))]
    mistakes = mistakes_among([decision.judgement for decision in found])
    all_judged = tuple(replace(one, is_mistake=is_one) for one, is_one in zip(found, mistakes, strict=True))
    return GameAnalysis(record, agent, analyst.samples, analyst.method, all_judged)


class _Decision(NamedTuple):
    number: int  # in the record, from 1
    games: Games  # as they stand before it
    event: int
    asked: str
    taken: str


def _decisions(record: Record, seats: Sequence[int] | None) -> Iterator[_Decision]:
    number = 0
    for step in replay(record):
        if step.event is not None and len(step.event) == 3:
            number += 1
            if seats is None or step.event[1] in seats:
                yield _Decision(number, step.games.copy(), step.number, step.event[0], step.event[2])


def mistakes_among(judgements: Sequence[Judgement]) -> list[bool]:
    """Which decisions gave away more than noise explains: at a false discovery rate of 5 % over all of them."""
    return list(map(counts, adjusted([judgement.p_value for judgement in judgements])))


_analyst = lru_cache(_ANALYSTS_KEPT)(analyst_for)  # of workers


class _Part(NamedTuple):
    """Some of the decisions to be judged, from the place ``start`` on."""

    start: int
    games: list[Games]  # as they stand before each of them
    analyst: tuple[str, int, int | None, Teams | None]  # the arguments of ``analyst_for``


def _keys_of(part: _Part) -> pl.DataFrame:
    return pl.DataFrame({"decision": range(part.start, part.start + len(part.games))}, schema={"decision": pl.Int64()})


def _examine_part(part: _Part) -> pl.DataFrame:
    opinions = []
    for games in part.games:
        examination = _analyst(*part.analyst).examine(games)
        examination.think()
        opinions.append(json.dumps(examination.opinion().as_dict()))
    return _keys_of(part).with_columns(opinion=pl.Series(opinions, dtype=pl.String()))
