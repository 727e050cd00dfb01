"""A recorded game analysed: every decision judged, by workers and part by part, and which of them were mistakes."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from ursuppe_agents.analysis.analysts import Analyst, analyst_for
from ursuppe_agents.analysis.judgement import Judgement, judge
from ursuppe_agents.analysis.opinion import Opinion
from ursuppe_agents.jobs.folder import RunFolder
from ursuppe_agents.jobs.origins import origins_of
from ursuppe_agents.jobs.parts import do_parts
from ursuppe_agents.statistics import FALSE_DISCOVERIES
from ursuppe_agents.statistics.discoveries import adjusted
from ursuppe_env import Games, __version__
from ursuppe_env.records import Record, replay
from ursuppe_env.validation import checked_seed

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
        is_mistake: did it give something away beyond doubt? Of all decisions of the game that are said to, one of
            twenty did not, on average.
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
        taken, best = actions[judgement["taken"]]["action"], actions[judgement["best"]]["action"]
        return {
            "decision": self.number,
            "event": self.event,
            "round": self.round,
            "asked": self.asked,
            **{name: judgement[name] for name in ("player", "chances", "noise")},
            "taken": taken,
            "best": best,
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
        samples: what the agent's samples are, "searches" or "play-outs".
        looks: what its visits are, "simulations" or "play-outs".
        sample_count: samples of each decision.
        decisions: in their order.
    """

    record: Record
    agent: str
    samples: str
    looks: str
    sample_count: int
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

    Raises:
        RecordError: the record is not of a possible game.
        ValueError: the game was played in teams or has no decisions, the spec describes no agent that says something of
            chances of winning in such games, or the folder belongs to something else.
        OSError: a file cannot be read or written.
    """
    checked_seed("seed", seed)
    if record.teams is not None:
        raise ValueError(
            f"the game was played in teams ({record.teams}); chances of winning are those of single players, "
            "so give a record of a game without teams"
        )
    decisions = list(_decisions(record))
    if not decisions:
        raise ValueError("the record has no decisions; there is nothing to analyse")
    analyst = analyst_for(agent, seed)
    analyst.examine(decisions[0].games).go_on()  # what is wrong shows, and is compiled, before the workers begin
    kept = None
    if folder is not None:
        origins = origins_of([agent], [record.ruleset.players])
        kept = RunFolder(folder, _settings(record, agent, seed), _SCHEMA, origins=origins)
    parts = [
        _Part(number, record, agent, seed, start, min(start + _DECISIONS_A_PART, len(decisions)))
        for number, start in enumerate(range(0, len(decisions), _DECISIONS_A_PART))
    ]
    rows = do_parts(_examine_part, parts, _keys_of, kept, workers, on_progress=on_progress)
    opinions = [Opinion.from_dict(json.loads(text)) for text in rows["opinion"]]
    return GameAnalysis(
        record=record,
        agent=agent,
        samples=analyst.samples,
        looks=analyst.looks,
        sample_count=len(opinions[0].chances),
        decisions=_judged(decisions, opinions),
    )


def _settings(record: Record, agent: str, seed: int) -> dict[str, Any]:
    """All that decides what an analysis finds."""
    text = json.dumps(record.to_dict(), sort_keys=True)
    return {"version": __version__, "record": sha256(text.encode()).hexdigest(), "agent": agent, "seed": seed}


# ---------------------------------------------------------------------- the decisions of a record


@dataclass(frozen=True)
class _Decision:
    games: Games  # as they stand before it
    event: int
    asked: str
    taken: str


def _decisions(record: Record) -> Iterator[_Decision]:
    for step in replay(record):
        if step.event is not None and len(step.event) == 3:
            yield _Decision(step.games.copy(), step.number, step.event[0], step.event[2])


def _judged(decisions: list[_Decision], opinions: list[Opinion]) -> tuple[JudgedDecision, ...]:
    judgements = [
        judge(decision.games, opinion, decision.taken) for decision, opinion in zip(decisions, opinions, strict=True)
    ]
    return tuple(
        JudgedDecision(
            number=number,
            event=decision.event,
            round=int(decision.games.rounds[0]),
            asked=decision.asked,
            judgement=judgement,
            is_mistake=is_mistake,
        )
        for number, (decision, judgement, is_mistake) in enumerate(
            zip(decisions, judgements, mistakes_among(judgements), strict=True), 1
        )
    )


def mistakes_among(judgements: Sequence[Judgement]) -> list[bool]:
    """Which decisions of a game gave something away beyond doubt."""
    p_values = adjusted([judgement.p_value for judgement in judgements])
    return [p_value is not None and p_value <= FALSE_DISCOVERIES for p_value in p_values]


# ---------------------------------------------------------------------- done by workers


@dataclass(frozen=True)
class _Part:
    """Some decisions of a game, from the place ``start`` to before ``stop``."""

    number: int
    record: Record
    agent: str
    seed: int
    start: int
    stop: int


def _keys_of(part: _Part) -> pl.DataFrame:
    return pl.DataFrame({"decision": range(part.start, part.stop)}, schema={"decision": pl.Int64()})


def _examine_part(part: _Part) -> pl.DataFrame:
    analyst = _analyst(part.agent, part.seed)
    opinions = []
    for place, decision in enumerate(_decisions(part.record)):
        if place == part.stop:
            break
        if place >= part.start:
            examination = analyst.examine(decision.games)
            examination.think()
            opinions.append(json.dumps(examination.opinion().as_dict()))
    return _keys_of(part).with_columns(opinion=pl.Series(opinions, dtype=pl.String()))


@lru_cache(_ANALYSTS_KEPT)
def _analyst(agent: str, seed: int) -> Analyst:
    return analyst_for(agent, seed)
