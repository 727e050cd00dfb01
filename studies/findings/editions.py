"""Did the corrections of 1998 change the game, and did they make it fairer?

Fairer is told by two figures: how uneven the start places are, and how uneven the genes. Both are standard deviations,
less what chance alone gives, and the editions are compared in pairs of games with the same dice.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from studies.findings.places import PLACES
from studies.findings.results import NEW, OLD, Compared, Results
from studies.findings.verdicts import Verdicts
from studies.findings.wording import Side, farthest, grouped, listed, markdown_table
from ursuppe_lab.balance.spread import spread
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, FEWEST_SEEDS, Interval
from ursuppe_lab.statistics.ratios import Bootstrapped, ratios, sums_by_cluster

# What is compared: measure, figure, and its name on the page.
FIGURES = (
    ("rounds", "played", "rounds"),
    ("markers", "winner", "winner's place"),
    ("markers", "mean", "mean place"),
    ("markers", "winner ahead of second", "winner's lead"),
    ("deaths", "hunger", "deaths by hunger"),
    ("deaths", "attack", "deaths by attacks for food"),
    ("deaths", "aggression", "deaths by Aggression"),
    ("attacks", "for food", "attacks for food"),
    ("attacks", "by Aggression", "attacks by Aggression"),
)
_UNEVEN = "unevenness of start places, points"
_SPREAD = "spread of genes"


def unevenness(compared: Compared, lineup: int, variant: int) -> Bootstrapped:
    """The standard deviation of the wins over the start places, less what chance alone gives them."""
    study = compared.study
    players = study.ruleset(variant).players
    games = compared.games.filter(lineup=lineup, variant=variant)
    names = [f"{PLACES}/place {number}" for number in range(1, players + 1)]
    sums = sums_by_cluster(games, study.num_seeds(variant, lineup), dict.fromkeys(names))
    found = ratios(sums, study.generator(variant))
    if study.num_seeds(variant, lineup) < FEWEST_SEEDS:
        return Bootstrapped(np.nan, np.empty(0))
    estimates = np.array([found[name].estimate for name in names])
    resampled = np.stack([found[name].resampled for name in names], axis=1)
    # Resamples scatter around estimates, which scatter around the truth: chance is in them twice.
    noise = float(resampled.var(axis=0).mean())
    return Bootstrapped(
        max(float(estimates.var()) - noise, 0) ** 0.5, np.sqrt(np.maximum(resampled.var(axis=1) - 2 * noise, 0))
    )


def place_changes(studies: Sequence[Compared]) -> dict[tuple[str, int], Interval | None]:
    """By study and lineup: how much more uneven the start places are in 1998 than in 1997."""
    return {
        (compared.name, lineup): unevenness(compared, lineup, compared.variant_of(NEW))
        .minus(unevenness(compared, lineup, compared.variant_of(OLD)))
        .interval()
        for compared in studies
        for lineup in range(len(compared.agents))
    }


def gene_spreads(results: Results) -> dict[tuple[int, str], dict[str, Bootstrapped]]:
    """By players and agent: the spread of the genes in each edition; without what had too few games."""
    found: dict[tuple[int, str], dict[str, Bootstrapped]] = {}
    for worths in results.leading:
        if worths.gains is not None:
            key = worths.setting.players, worths.agent
            found.setdefault(key, {})[worths.setting.edition] = spread([worths.gains])
    return {key: of_editions for key, of_editions in found.items() if {NEW, OLD} <= set(of_editions)}


def gene_changes(results: Results) -> dict[tuple[int, str], Interval | None]:
    """By players and agent: how much larger the spread of the genes is in 1998 than in 1997."""
    return {key: spreads[NEW].minus(spreads[OLD]).interval() for key, spreads in gene_spreads(results).items()}


def changes(results: Results) -> dict[tuple[Hashable, ...], Interval | None]:
    """Each change from 1997 to 1998 that the page shows."""
    found: dict[tuple[Hashable, ...], Interval | None] = {
        (compared.name, lineup, measure, figure): _change(compared, lineup, measure, figure)
        for compared in results.editions
        for lineup in range(len(compared.agents))
        for measure, figure, _ in FIGURES
    }
    found |= {(*key, _UNEVEN): change for key, change in place_changes(results.editions).items()}
    found |= {(*key, _SPREAD): change for key, change in gene_changes(results).items()}
    return found


def verdicts(found: Mapping[tuple[Hashable, ...], Interval | None]) -> Verdicts:
    """Which of the changes are shown."""
    return Verdicts({key: (change, 0) for key, change in found.items()})


def editions_in_short(results: Results) -> list[str]:
    """Was the game made fairer?"""
    judged = verdicts(changes(results))
    said = []
    for players, studies in results.editions_by_players.items():
        agents = {(compared.name, n): agent for compared in studies for n, agent in enumerate(compared.agents)}
        of_places = {agents[key]: (change, judged[*key, _UNEVEN]) for key, change in place_changes(studies).items()}
        said.append(f"With {players} players, start places: {fairer(of_places)}.")
    for players in dict.fromkeys(setting.players for setting in results.settings):
        of_genes = {
            key[1]: (change, judged[*key, _SPREAD])
            for key, change in gene_changes(results).items()
            if key[0] == players
        }
        if of_genes:
            said.append(f"With {players} players, genes: {fairer(of_genes)}.")
    return [f"**Was the game made fairer in 1998?** {' '.join(said)}"]


def fairer(changes: Mapping[str, tuple[Interval | None, Side]]) -> str:
    """What the changes of an unevenness say, by agents: less is fairer.

    Args:
        changes: each with its verdict, as parts of the chance of winning.
    """
    known = {agent: change for agent, (change, _) in changes.items() if change is not None}
    by_side = grouped({agent: changes[agent][1] for agent in known})
    said = [
        f"{word} under {listed(by_side[where])}"
        for where, word in ((Side.BELOW, "fairer"), (Side.ABOVE, "less fair"))
        if by_side[where]
    ]
    if unclear := by_side[Side.AROUND]:
        most = max(farthest(known[agent]) for agent in unclear)
        said.append(f"no difference is shown under {listed(unclear)}, at most {100 * most:.1f} points either way")
    if unknown := [agent for agent in changes if agent not in known]:
        said.append(f"too few games to say under {listed(unknown)}")
    return "; ".join(said)


def editions_section(results: Results) -> str:
    """What changed from 1997 to 1998."""
    found = changes(results)
    judged = verdicts(found)
    parts = [
        f"""## {NEW} against {OLD}

What the corrections changed, a game: *change* is {NEW} minus {OLD}, in pairs of games with the same dice; in **bold**
what is shown to differ from 0, at a false discovery rate of {100 * FALSE_DISCOVERIES:.0f} % among all changes of this
section: {judged.in_words}. *Unevenness* is the standard deviation of the wins over the start places: 0 where all win
alike. Chance alone would give some; that is taken off. Below 0, {NEW} is fairer."""
    ]
    parts += [_changes(players, studies, found, judged) for players, studies in results.editions_by_players.items()]
    parts.append(_spreads(results, found, judged))
    return "\n\n".join(parts)


def _changes(
    players: int,
    studies: Sequence[Compared],
    found: Mapping[tuple[Hashable, ...], Interval | None],
    judged: Verdicts,
) -> str:
    columns = [(compared, lineup, agent) for compared in studies for lineup, agent in enumerate(compared.agents)]
    leading, first, leader = columns[0]
    old = leading.variant_of(OLD)
    rows = []
    for measure, figure, name in FIGURES:
        before = leading.comparison.of(first, old, measure)[figure].value
        keys = [(compared.name, lineup, measure, figure) for compared, lineup, _ in columns]
        rows.append([name, value(before, ".2f"), *(_bold(found[key], judged[key]) for key in keys)])
    before = unevenness(leading, first, old).interval()
    uneven = [(compared.name, lineup, _UNEVEN) for compared, lineup, _ in columns]
    rows.append([_UNEVEN, value(before, ".2f", 100), *(_bold(found[key], judged[key], 100) for key in uneven)])
    games = [f"{compared.games_at(lineup, 0):,}" for compared, lineup, _ in columns]
    rows.append(["games with each edition", games[0], *games])
    return f"""With {players} players:

{markdown_table(["", f"{OLD}, {leader}", *(f"change, {agent}" for *_, agent in columns)], rows)}"""


def _change(compared: Compared, lineup: int, measure: str, figure: str) -> Interval | None:
    """From the old edition to the new one, which is the base."""
    difference = compared.comparison.of(lineup, compared.variant_of(OLD), measure)[figure].difference
    return difference and difference.times(-1)


def _spreads(results: Results, found: Mapping[tuple[Hashable, ...], Interval | None], judged: Verdicts) -> str:
    rows = [
        [
            str(players),
            agent,
            *(value(spreads[edition].interval(), ".2f", 100) for edition in (OLD, NEW)),
            _bold(found[players, agent, _SPREAD], judged[players, agent, _SPREAD], 100),
        ]
        for (players, agent), spreads in gene_spreads(results).items()
    ]
    if not rows:
        return "There were too few games to say how uneven the genes are."
    return f"""How uneven genes are: the standard deviation of what buying them would do to the chance of winning, in
points, as [the laboratory measures it](balance-lab.md#a-fairer-game). {results.leading[0].trials.games:,} games each:

{markdown_table(["players", "agents", OLD, NEW, f"{NEW} minus {OLD}"], rows, texts=2)}"""


def _bold(change: Interval | None, where: Side, factor: float = 1) -> str:
    text = value(change, "+.2f", factor)
    return text if where == Side.AROUND else f"**{text}**"
