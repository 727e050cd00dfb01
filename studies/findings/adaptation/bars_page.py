"""The section of the page about balance that survives adaptation, and its picture."""

from collections.abc import Iterable, Sequence

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from studies.findings.adaptation.bars import (
    ADAPTING,
    CONTRASTS,
    FIXED,
    KINDS,
    POINTS,
    PRICES,
    PRINTED,
    UNITS,
    Change,
    Contrast,
    FoundBars,
    adjusted_changes,
)
from studies.findings.adaptation.specialists import FoundSpecialists
from studies.findings.wording import listed, markdown_table, title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.reports.plotting import COLOURS, INK, STYLE, WIDTH, as_file, draw_intervals, draw_legend
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.discoveries import adjusted

BARS_PLOT = "balance-bars.svg"

_AGENTS = {FIXED: "fixed agents", ADAPTING: "agents that adapt"}
_PRICES = {
    PRINTED: "as printed",
    FIXED: "found with fixed agents",
    ADAPTING: "found with agents that adapt",
}
_ASKED = {
    Contrast(FIXED, FIXED, PRINTED): "prices found with fixed agents, under these agents",
    Contrast(ADAPTING, FIXED, PRINTED): "the same prices, under agents that adapt",
    Contrast(ADAPTING, ADAPTING, PRINTED): "prices found with agents that adapt, under these agents",
    Contrast(ADAPTING, ADAPTING, FIXED): "the latter prices against the former, under agents that adapt",
    Contrast(FIXED, ADAPTING, PRINTED): "prices found with agents that adapt, under fixed agents",
}

_SAME = "the same prices: the search found none that are better"

_Judged = dict[tuple[int, str, Contrast], tuple[Change, float | None]]


def bars_in_short(found: Sequence[FoundBars]) -> list[str]:
    """Does balance that was found with fixed agents survive when agents adapt?"""
    judged = adjusted_changes(found)
    said = []
    for one in found:
        players = one.bars.players
        parts = [
            f"{_ASKED[contrast]}: {_said(one, contrast, judged)}"
            for contrast in CONTRASTS[:3]  # the bars; the other two are on the page
        ]
        said.append(f"With {players} players, {'; '.join(parts)}.")
    return [f"**Does balance survive when players adapt?** {' '.join(said)}"]


def _said(one: FoundBars, contrast: Contrast, judged: _Judged) -> str:
    """What became of the spread, as far as it is shown."""
    (interval, _), adjusted_p = judged[one.bars.players, POINTS, contrast]
    if _are_same(one, contrast):
        return _SAME
    if interval is None:
        return "too few games to say"
    if adjusted_p is None or adjusted_p > FALSE_DISCOVERIES:
        word = "no change of the spread is shown"
    else:
        word = "the genes are more alike" if interval.estimate < 0 else "the genes are less alike"
    return f"{word}, {value(interval, '+.1f')} points"


def _are_same(one: FoundBars, contrast: Contrast) -> bool:
    """Did a search end where it began, so that there is nothing to compare?"""
    return one.rulesets[contrast.prices] == one.rulesets[contrast.against]


def bars_section(found: Sequence[FoundBars], images: str, specialists: Sequence[FoundSpecialists] = ()) -> str:
    """All bars, what changed between them, whether those who adapt do so, and the prices.

    Args:
        found: for each number of players.
        images: the folder with the pictures, as seen from the page.
        specialists: who were trained on some of these prices alone, each named as they are.
    """
    judged = adjusted_changes(found)
    known = [p for _, p in judged.values() if p is not None]
    shown = sum(p <= FALSE_DISCOVERIES for p in known)
    return f"""## Does balance survive when players adapt?

A gene is a good buy or a bad one, by so many points of the chance of winning; the *spread* says how different the genes
are in that. It is their standard deviation, less what chance gives to it: 0 if no gene is a better buy than another. In
BP it is the spread of what each gene is worth above its price.

A computer can [search](balance-lab.md#a-fairer-game) for prices with less spread. But it needs agents who play, and
whoever has learned one set of prices may play another badly, or find what pays there. So there are two searches: with
fixed agents ({_names(found, FIXED)}), who play the same whatever a gene costs; and with agents that see the prices and
adapt ({_names(found, ADAPTING)}). Both kinds of agents then play both sets of prices, and the printed ones, on dice
that no search has seen.

![How unequal the genes are with three sets of prices, under both kinds of agents]({images}/{BARS_PLOT})

{_spreads(found)}

{_about_agents(found)}{_each_policy(found)}

What the prices changed, in pairs of games with the same dice; below 0 the genes are more alike. **Bold** is what is
shown to differ from 0, at a false discovery rate of {100 * FALSE_DISCOVERIES:.0f} % among all changes of this section:
{shown} of {len(known)}.

{_changes(found, judged)}

{_specialists(found, specialists)}

The prices, in BP:

{_prices(found)}"""


def _names(found: Sequence[FoundBars], kind: str) -> str:
    return _specs(spec for one in found for spec in one.bars.searchers(kind))


def _specs(named: Iterable[str]) -> str:
    return listed([f"`{spec}`" for spec in dict.fromkeys(named)])


def _spreads(found: Sequence[FoundBars]) -> str:
    rows = [
        [
            str(one.bars.players),
            _PRICES[prices],
            *(value(one.spreads[unit, kind, prices].spread, ".2f") for kind in KINDS for unit in UNITS),
        ]
        for one in found
        for prices in PRICES
    ]
    heading = [f"{_AGENTS[kind]}, {unit}" for kind in KINDS for unit in UNITS]
    return markdown_table(["players", "prices", *heading], rows, texts=2)


def _about_agents(found: Sequence[FoundBars]) -> str:
    """What the intervals contain."""
    games = " and ".join(f"{one.bars.games:,} games with {one.bars.players} players" for one in found)
    said = f"""Each agent played {games} with each set of prices, to the end. Fixed agents stand for
themselves, and they are those that prices were found with: under others these may do less well."""
    several = [one for one in found if len(one.bars.policies) > 1]
    if not several:
        return f"""{said} So it is with
the only policy that adapts here: **how far such policies differ from each other is not in its intervals**."""
    who = "; ".join(f"with {one.bars.players} players {_specs(one.bars.policies)}" for one in several)
    alone = "" if len(several) == len(found) else " Where there is only one, they do not."
    return f"""{said} Those that
adapt are policies of trainings that have nothing in common ([who plays](#who-plays) says how long they were):
{who}.
All but the last have searched together: the last shows whether their prices hold for one that has not. Intervals
contain how far such policies differ (Student's t with one degree of freedom fewer than there are policies), and are
never narrower than those of the games.{alone}"""


def _each_policy(found: Sequence[FoundBars]) -> str:
    """The spreads to each of several policies, with the intervals of its games; nothing where there is one alone."""
    rows = [
        [
            str(one.bars.players),
            f"`{policy}`{', which has searched' if policy in one.bars.searchers(ADAPTING) else ''}",
            *(
                value(one.spreads[unit, ADAPTING, prices].spreads_of_agents[number], ".2f")
                for prices in (PRINTED, ADAPTING)
                for unit in UNITS
            ),
        ]
        for one in found
        if len(one.bars.policies) > 1
        for number, policy in enumerate(one.bars.policies)
    ]
    if not rows:
        return ""
    heading = [f"{_PRICES[prices]}, {unit}" for prices in (PRINTED, ADAPTING) for unit in UNITS]
    return f"""

The spread to each of them by itself, with intervals of its games alone:

{markdown_table(["players", "policy", *heading], rows, texts=2)}"""


def _changes(found: Sequence[FoundBars], judged: _Judged) -> str:
    rows = [
        [
            str(one.bars.players),
            f"{_ASKED[contrast]}{'' if contrast.against == FIXED else ', against the printed ones'}",
            *(
                _SAME if _are_same(one, contrast) else _bold(*judged[one.bars.players, unit, contrast])
                for unit in UNITS
            ),
        ]
        for one in found
        for contrast in CONTRASTS
    ]
    return markdown_table(["players", "", *(f"spread, {unit}" for unit in UNITS)], rows, texts=2)


def _specialists(found: Sequence[FoundBars], specialists: Sequence[FoundSpecialists]) -> str:
    """Whether those that adapt find the genes as unequal as those who have learned nothing else."""
    if not specialists:
        return (
            "No policy was trained on one of these rulesets alone for this page: that those who see the prices have "
            "adapted to them as far as they could, these figures do not say."
        )
    bars = {one.bars.players: one for one in found}
    compared = [
        (one.specialists.ruleset.players, one.specialists.name, unit, both)
        for one in specialists
        for spreads in [bars[one.specialists.ruleset.players].spreads]
        for unit, both in one.beside({unit: spreads[unit, ADAPTING, one.specialists.name] for unit in UNITS}).items()
    ]
    p_values = adjusted([both.p for *_, both in compared])
    rows = [
        [
            str(players),
            _PRICES[prices],
            unit,
            *(value(spread, ".2f") for spread in (both.generalists, both.specialists)),
            _bold(Change(both.difference, both.p), p),
        ]
        for (players, prices, unit, both), p in zip(compared, p_values, strict=True)
    ]
    heading = ["players", "prices", "spread in", "who sees the prices", "specialists", "difference"]
    return f"""Do those who see the prices adapt? Beside them [specialists](balance-lab.md#specialists) of these prices,
who have learned no others; in bold what is shown among these comparisons:

{markdown_table(heading, rows, texts=3)}"""


def _bold(change: Change, adjusted_p: float | None) -> str:
    text = value(change.interval, "+.2f")
    return f"**{text}**" if adjusted_p is not None and adjusted_p <= FALSE_DISCOVERIES else text


def _prices(found: Sequence[FoundBars]) -> str:
    columns = [(one, prices) for one in found for prices in (FIXED, ADAPTING)]
    heading = [f"{one.bars.players} players, {_PRICES[prices]}" for one, prices in columns]
    printed = found[0].rulesets[PRINTED]
    rows = [
        [
            title(gene),
            str(printed.price[id]),
            *(str(one.rulesets[prices].price[id]) if one.bars.printed.cards[id] else "–" for one, prices in columns),
        ]
        for id, gene in enumerate(GENE_NAMES)
    ]
    return markdown_table(["gene", "printed", *heading], rows)


def bars_plot(found: Sequence[FoundBars]) -> bytes:
    """The spreads in points and in BP, a row of bars for each number of players; the colours are kinds of agents."""
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 0.7 + 1.7 * len(found)), layout="constrained")
        panels = canvas.subplots(len(found), len(UNITS), squeeze=False, sharey=True, sharex="col")
        drawn: dict[str, Artist] = {}
        group = np.arange(len(PRICES))
        places = np.concatenate([group + (len(PRICES) + 0.5) * number for number in range(len(KINDS))])
        for row, one in zip(panels, found, strict=True):
            for axes, unit in zip(row, UNITS, strict=True):
                for number, kind in enumerate(KINDS):
                    lines = places[number * len(PRICES) :][: len(PRICES)]
                    spreads = [one.spreads[unit, kind, prices].spread or Interval(0.0, None, None) for prices in PRICES]
                    estimates = [spread.estimate for spread in spreads]
                    bars = axes.barh(lines, estimates, height=0.6, color=COLOURS[number], alpha=0.6)
                    draw_intervals(axes, spreads, lines, INK, width=1.4)
                    drawn[_AGENTS[kind]] = bars.patches[0]
                axes.set_yticks(places, [_PRICES[prices] for _ in KINDS for prices in PRICES])
                axes.set_ylim(places[-1] + 0.6, -0.6)
                axes.set_xlim(left=0)
                axes.grid(axis="x")
                axes.set_axisbelow(True)
                axes.set_title(f"{one.bars.players} players", fontsize=9)
        for axes, unit in zip(panels[-1], UNITS, strict=True):
            axes.set_xlabel(f"spread of the genes, {unit}")
        draw_legend(canvas, drawn)
        return as_file(
            canvas,
            BARS_PLOT.removesuffix(".svg"),
            "How unequal the genes are, by prices and agents, with 95 % intervals",
        )
