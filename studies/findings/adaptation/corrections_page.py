"""The section of the page about the corrections of 1998, and what figures of 1997 would have advised."""

from studies.findings.adaptation.corrections import (
    ALL,
    BOUGHT,
    CORRECTIONS,
    LEAD,
    ROUNDS,
    SPREAD,
    WORTH,
    Advice,
    Correction,
    CorrectionEffect,
    Corrections,
    Direction,
    FoundCorrections,
    HitRate,
    hit_rate,
)
from studies.findings.wording import Side, listed, markdown_table, side, title
from ursuppe_lab.reports.text import NONE, percent, plain, value
from ursuppe_lab.statistics import FALSE_DISCOVERIES

_COIN = 0.5
_ADVICE = {Direction.FAVOURS: "favour", Direction.RESTRAINS: "restrain", None: "no advice"}
#: Figures of the table, with their headings, factors and forms.
_FIGURES = {
    WORTH: ("worth of its genes", 100, "+.1f"),
    BOUGHT: ("players who buy them, %", 100, "+.1f"),
    SPREAD: ("spread of all genes", 100, "+.1f"),
    ROUNDS: ("rounds", 1, "+.2f"),
    LEAD: ("winner's lead", 1, "+.2f"),
}


def corrections_in_short(found: FoundCorrections) -> list[str]:
    """How often the figures of 1997 alone would have advised what the designers did."""
    said = []
    for study in found.studies:
        rates = {agent: hit_rate(found.advice_of(study.players, agent)) for agent in study.agents}
        of_agents = [f"{_rate(rate)} under `{agent}`{_beside_a_coin(rate)}" for agent, rate in rates.items()]
        said.append(f"With {study.players} players, of {len(study.corrections)} corrections: {listed(of_agents)}.")
    return [f"**Would figures of 1997 have advised the corrections of 1998?** {' '.join(said)}"]


def corrections_section(found: FoundCorrections) -> str:
    """What was advised, how often the designers did so, and what the corrections do."""
    known = found.p_values
    shown = sum(p <= FALSE_DISCOVERIES for p in known)
    parts = [
        f"""## What the designers corrected

A year after the first edition its designers changed five numbers and eight rulings. That is ground truth of a rare
kind: would figures of the first edition alone have advised the same? Each correction helps the owners of some genes
(*favour*) or takes something from them (*restrain*); which of the two was written down before anything was measured.
The advice is simple. If buying a gene raises the chance of winning, the gene is cheap: restrain its owners. If buying
it lowers the chance, it is dear: favour them. If neither is shown there is no advice.

{_table_of_corrections()}

Advice and effects are judged together: of all that is called shown or stands in **bold**, one in twenty is wrong, on
average, at most (Benjamini-Hochberg; {shown} of {len(known)} statements of this section)."""
    ]
    parts += [_players(study, found) for study in found.studies]
    parts.append(
        """The intervals of the shares are exact (Clopper and Pearson), and take advice on one correction to say nothing
about another. Corrections of the same genes have the same advice: so the truth is known a little less well than
that."""
    )
    return "\n\n".join(parts)


def _table_of_corrections() -> str:
    rows = [
        [
            f"`{one.field}`",
            one.why,
            _genes(one),
            one.direction,
            listed([str(players) for players in one.players]),
        ]
        for one in CORRECTIONS
    ]
    return markdown_table(["what differs", "in 1998", "genes", "designers", "players"], rows, texts=5)


def _players(study: Corrections, found: FoundCorrections) -> str:
    agents = study.agents
    advice = {agent: found.advice_of(study.players, agent) for agent in agents}
    rows = [
        [
            f"`{one.field}`",
            one.direction,
            *(_advice(advice[agent][number]) for agent in agents),
        ]
        for number, one in enumerate(study.corrections)
    ]
    rates = [["**as the designers did**", "", *(_rate(hit_rate(advice[agent])) for agent in agents)]]
    heading = ["correction", "designers", *(f"`{agent}`" for agent in agents)]
    effects = "\n\n".join(_effects(study, found, agent) for agent in agents)
    return f"""### With {study.players} players

What buying one of its genes did to the chance of winning in 1997, in points, and what that advises;
{study.advice_games:,} games under each agent, played to the end:

{markdown_table(heading, [*rows, *rates], texts=len(heading))}

{_contradicted(study, found)}

What each correction does on top of 1997, alone and all at once, in pairs of games with the same dice, ± how far its
interval reaches. Points of the chance of winning, but where it says otherwise; trials: {study.games:,} games with each
ruleset{_predicted(study)}; all else: {study.ordinary_games:,}.

{effects}"""


def _predicted(study: Corrections) -> str:
    return ", predicted where agents adapt" if study.policies else ""


def _advice(one: Advice) -> str:
    mark = {True: " ✓", False: " ✗"}[one.is_hit] if one.direction is not None else ""
    return f"{value(one.paid, '+.1f', 100)}: {_ADVICE[one.direction]}{mark}"


def _rate(rate: HitRate) -> str:
    if rate.share is None:
        return f"no advice on {rate.silent}"
    return f"{rate.hits} of {rate.advised}, {percent(rate.share)}; no advice on {rate.silent}"


def _beside_a_coin(rate: HitRate) -> str:
    """What its interval says about a coin."""
    if rate.share is None:
        return ""
    return {
        Side.AROUND: " (a coin could do that)",
        Side.ABOVE: " (better than a coin)",
        Side.BELOW: " (worse than a coin)",
    }[side(rate.share, _COIN)]


def _contradicted(study: Corrections, found: FoundCorrections) -> str:
    """Whether the directions that were written down are those that were measured."""
    right: list[str] = []
    wrong: list[str] = []
    for agent in study.agents:
        for one in study.corrections:
            effect = found.effects_of(study.players, agent, one.field).get(WORTH)
            if effect is None or not effect.is_shown or effect.difference is None:
                continue
            favours = effect.difference.estimate > 0
            (right if favours == (one.direction == Direction.FAVOURS) else wrong).append(
                f"`{one.field}` under `{agent}`"
            )
    said = f"Of the directions that were written down, games show {listed(right)} to be so"
    meaning = ": there the advice is to be read the other way round as well" if wrong else ""
    return f"{said}, and {listed(wrong)} to be the other way round{meaning}."


def _effects(study: Corrections, found: FoundCorrections, agent: str) -> str:
    places = [f"place {place}" for place in range(1, study.players + 1)]
    rows = []
    for name in (*(one.field for one in study.corrections), ALL):
        of_it = found.effects_of(study.players, agent, name)
        cells = [_effect(of_it.get(figure), factor, form) for figure, (_, factor, form) in _FIGURES.items()]
        rows.append(
            [name if name == ALL else f"`{name}`", *cells, *(_effect(of_it.get(p), 100, "+.1f") for p in places)]
        )
    heading = ["correction", *(said for said, _, _ in _FIGURES.values()), *(f"wins from {place}" for place in places)]
    return f"Under `{agent}`:\n\n{markdown_table(heading, rows)}"


def _effect(effect: CorrectionEffect | None, factor: float, form: str) -> str:
    """The difference and how far its interval reaches, bold if it is shown."""
    if effect is None or effect.difference is None:
        return NONE
    difference = effect.difference.times(factor)
    text = plain(difference.estimate, form)
    if difference.ends is not None:
        reach = max(difference.ends[1] - difference.estimate, difference.estimate - difference.ends[0])
        text += f" ± {plain(reach, form).lstrip('+')}"
    return f"**{text}**" if effect.is_shown else text


def _genes(correction: Correction) -> str:
    return listed([title(gene) for gene in correction.genes])
