"""What an analysis leaves: a line of JSON a decision, and a page that replays the game with the analysis beside it."""

import json
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from ursuppe_env.files import write_atomically
from ursuppe_env.records.film import Frame
from ursuppe_env.records.page import VIEWER, VIEWER_MODULES, VIEWER_STYLES, self_contained_page
from ursuppe_play.analysis.game import GameAnalysis
from ursuppe_play.names import Names, named_reel, names_in

LINES, REPORT = "decisions.jsonl", "report.html"
PAGE = files("ursuppe_play.analysis") / "page"
_MODULES = ("figures.js", "chances.js", "decision.js", "mistakes.js", "report.js")
_STYLES = ("analysis.css",)
#: What the figures of a page mean, for its readers.
_NOTES = (
    "Wins: the chance of winning after the action; ± is half of the 95 % interval, from how much the samples "
    "differ among themselves. It says how noisy a figure is, not whether the agent plays well.",
    "Prior: how likely the agent takes the action at first sight. Choice: how much speaks for it in the end. "
    "Play-outs: how many began with it.",
    "Gave away: the chance of winning after the best action less that after the action that was taken, in "
    "percentage points. Its ± takes into account that the best one was sought among many; below it the figure "
    "means nothing. A mistake is listed where noise does not explain the difference, with all decisions of the "
    "analysis in mind: chance alone puts one of twenty there, on average. What is counted is how this agent would "
    "have played on; who plays otherwise may have been right.",
)


def write_analysis(analysis: GameAnalysis, film: Iterable[Frame], folder: Path, title: str) -> None:
    """Write ``decisions.jsonl`` and ``report.html`` into a folder, each whole or not at all.

    Args:
        analysis: of the game.
        film: ``frames(analysis.record)``.
        folder: made if there is none.
        title: of the page.

    Raises:
        OSError: a file cannot be written.
    """
    lines = "".join(f"{json.dumps(decision.as_dict(), allow_nan=False)}\n" for decision in analysis.decisions)
    write_atomically(folder / LINES, lines.encode())
    write_atomically(folder / REPORT, report_page(analysis, film, title).encode())


def report_page(analysis: GameAnalysis, film: Iterable[Frame], title: str) -> str:
    """The page alone; arguments as for ``write_analysis``."""
    modules = [*(VIEWER / name for name in VIEWER_MODULES), *(PAGE / name for name in _MODULES)]
    styles = [*(VIEWER / name for name in VIEWER_STYLES), *(PAGE / name for name in _STYLES)]
    names = names_in(analysis.record)
    data = {"reel": named_reel(film, analysis.record, names), "analysis": _data(analysis, names)}
    scripts, sheets = ([file.read_text(encoding="utf-8") for file in part] for part in (modules, styles))
    return self_contained_page(title, scripts, sheets, data)


def _data(analysis: GameAnalysis, names: Names) -> dict[str, Any]:
    decisions: list[dict[str, Any] | None] = [None] * sum(len(event) == 3 for event in analysis.record.events)
    for one in analysis.decisions:
        judgement = one.judgement.told(names).as_dict()
        figures = {"number": one.number, "round": one.round, "is_mistake": one.is_mistake}
        decisions[one.number - 1] = {**figures, "judgement": judgement}
    return {
        "about": f"Analysed by {analysis.agent}: {analysis.samples}.",
        "notes": [analysis.method, *_NOTES],
        "winners": list(analysis.record.winners),
        "decisions": decisions,
    }
