"""The section of the page about balance that a policy foretells, and its picture."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from studies.findings.adaptation.predictions import (
    FIGURES,
    NEUTRAL_PRICE,
    PAID,
    FoundPredictions,
    Quality,
    biases,
    ruleset_errors,
)
from studies.findings.adaptation.specialists import FoundSpecialists
from studies.findings.wording import listed, markdown_table, title
from ursuppe_lab.balance.question import HORIZON
from ursuppe_lab.reports.plotting import COLOURS, INK, STYLE, WIDTH, as_file
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES

PREDICTIONS_PLOT = "balance-predictions.svg"
_WORST = 3  # rulesets that are named


def predictions_in_short(found: Sequence[FoundPredictions]) -> list[str]:
    """How far predicted neutral prices are from those of trials."""
    said = [
        f"with {one.study.players} players {_said(one.qualities.get((_shown_horizon(one), NEUTRAL_PRICE)))}"
        for one in found
    ]
    return [f"**Balance in seconds.** Foretold by a policy, for rulesets that it has never seen: {'; '.join(said)}."]


def _said(quality: Quality | None) -> str:
    if quality is None:
        return "too few games to say"
    return (
        f"the neutral prices of {len(quality.pairs):,} genes and rulesets are {value(quality.beyond_chance, '.1f')} BP "
        f"apart beyond chance, and on average {value(quality.mean, '+.1f')} BP too high"
    )


def predictions_section(
    found: Sequence[FoundPredictions], images: str, specialists: Sequence[FoundSpecialists] = ()
) -> str:
    """How good predictions are, where they fail, and what specialists say.

    Args:
        found: for each number of players.
        images: the folder with the pictures, as seen from the page.
        specialists: of some of the rulesets.
    """
    parts = [
        f"""## Balance in seconds

Trials of genes take minutes, since each is a game that is played to its end. A policy that was trained on many rulesets
can *foretell* who wins, after one round or at once: what takes seconds. Here that is compared with trials to the end,
on rulesets drawn at random, which neither it nor anybody has played before.

![Neutral prices as they were foretold and as trials to the end have them]({images}/{PREDICTIONS_PLOT})"""
    ]
    parts += [
        _players(one, [each for each in specialists if each.specialists.ruleset.players == one.study.players])
        for one in found
    ]
    return "\n\n".join(parts)


def _players(found: FoundPredictions, specialists: Sequence[FoundSpecialists]) -> str:
    study = found.study
    rows = [
        [
            figure,
            str(horizon),
            str(len(one.pairs)),
            *(f"{error:.1f}" for error in one.chance),
            value(one.beyond_chance, ".1f"),
            value(one.mean, "+.1f"),
            value(one.slope, ".2f"),
            f"{one.rank_correlation:.2f}",
            str(len(one.disagreeing)),
        ]
        for figure in FIGURES
        for (horizon, of), one in found.qualities.items()
        if of == figure
    ]
    heading = ["figure", "rounds played", "pairs", "error of chance, foretold", "played", "apart beyond chance"]
    heading += ["too high by", "slope", "rank correlation", "differ"]
    shown = _shown_horizon(found)
    return f"""### With {study.players} players

{study.rulesets} rulesets, {study.games} games with each, `{study.agent}`. *Paid* in points of the chance of winning,
neutral prices in BP; a pair is a gene with a ruleset that both ways know. *Apart beyond chance* is the root mean square
of their differences, less what chance gives. *Slope*: what trials to the end change where the prediction is 1 higher;
below 1 predictions exaggerate. *Differ*: pairs that are shown to, at a false discovery rate of
{100 * FALSE_DISCOVERIES:.0f} %.

{markdown_table(heading, rows, texts=2)}

**Where it fails**, with {shown} {"round" if shown == 1 else "rounds"} played. {_failures(found, PAID)}
{_failures(found, NEUTRAL_PRICE)}

{_specialists(found, specialists)}"""


def _failures(found: FoundPredictions, figure: str) -> str:
    """Genes that are predicted too high or too low over all rulesets, and the rulesets with the largest errors."""
    quality, unit = found.qualities.get((_shown_horizon(found), figure)), FIGURES[figure].unit
    if quality is None:
        return f"{figure.capitalize()}: too few games to say."
    biased = [bias for bias in biases(quality) if bias.is_shown]
    genes = listed([f"{title(bias.gene)} ({value(bias.mean, '+.1f')})" for bias in biased])
    worst = [
        f"{error.ruleset}, with {found.changed[error.ruleset]} numbers and switches changed "
        f"({value(error.beyond_chance, '.1f')})"
        for error in ruleset_errors(quality)[:_WORST]
    ]
    said = f"{figure.capitalize()}: genes that are foretold too high or too low over all rulesets, {unit}: {genes}"
    return f"{said}. Largest errors of a ruleset, beyond chance: {listed(worst)}."


def _specialists(found: FoundPredictions, specialists: Sequence[FoundSpecialists]) -> str:
    if not specialists:
        return (
            "No policy was trained on one of these rulesets alone for this page: whether one who knows no other plays "
            "them alike, these figures do not say."
        )
    shown = _shown_horizon(found)
    rows = []
    for one in specialists:
        for figure in FIGURES:
            quality = one.quality(figure, found.figures[shown, figure])
            if quality is None:  # too few games
                continue
            rows.append(
                [
                    one.specialists.name,
                    figure,
                    str(len(quality.pairs)),
                    value(quality.beyond_chance, ".1f"),
                    value(quality.mean, "+.1f"),
                    f"{quality.rank_correlation:.2f}",
                    _differing(quality),
                ]
            )
    heading = ["ruleset", "figure", "genes", "apart beyond chance", "too high by", "rank correlation", "differ"]
    return f"""Foretold by the policy that knows many rulesets, beside trials to the end of
[specialists](balance-lab.md#specialists), who have learned one of them alone:

{markdown_table(heading, rows, texts=2)}"""


def _differing(quality: Quality) -> str:
    return listed([title(pair.gene) for pair in quality.disagreeing])


def _shown_horizon(found: FoundPredictions) -> int:
    """That of ``ursuppe balance ask``, if it was tried."""
    horizons = found.study.horizons
    return HORIZON if HORIZON in horizons else horizons[-1]


def predictions_plot(found: Sequence[FoundPredictions]) -> bytes:
    """Each gene with each ruleset: what was foretold, and what was played."""
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        panels = canvas.subplots(1, len(found), squeeze=False)[0]
        for axes, one in zip(panels, found, strict=True):
            quality = one.qualities.get((_shown_horizon(one), NEUTRAL_PRICE))
            pairs = [] if quality is None else quality.pairs
            x, y = (np.array([getattr(pair, way).estimate for pair in pairs]) for way in ("predicted", "played"))
            axes.plot(x, y, "o", color=COLOURS[0], markersize=3, alpha=0.5)
            axes.axline((0, 0), slope=1, color=INK, linewidth=0.8, alpha=0.5)
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_title(f"{one.study.players} players", fontsize=9)
            axes.set_xlabel("neutral price as foretold, BP")
            axes.grid()
        panels[0].set_ylabel("as trials to the end have it, BP")
        return as_file(canvas, PREDICTIONS_PLOT.removesuffix(".svg"), "Neutral prices, foretold and played")
