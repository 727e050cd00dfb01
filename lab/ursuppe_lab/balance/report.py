"""The laboratory's results as HTML pages that need nothing else.

All of them tell at their end where the policies come from that played, ``origins`` by name.
"""

from collections.abc import Mapping

from ursuppe_agents.evaluator import Origin
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.fairer import FairerGame
from ursuppe_lab.balance.figures.comparison import Comparison
from ursuppe_lab.balance.figures.effects import NEUTRAL_PRICE, PAID, Effects
from ursuppe_lab.balance.figures.worth import GeneWorth
from ursuppe_lab.balance.measures import meaning_of
from ursuppe_lab.balance.plots import (
    candidates_plot,
    comparison_plots,
    effects_plots,
    gains_plot,
    rounds_plot,
    worth_plot,
)
from ursuppe_lab.balance.question import MEASURES
from ursuppe_lab.balance.study import AFTER, BEFORE, described
from ursuppe_lab.reports.page import render_page

_PACKAGE = "ursuppe_lab.balance"
_MOST_AT_ONCE = 3  # variants beside the base in a table, which fits into 1,200 pixels, and in a plot

Origins = Mapping[str, Origin] | None


def comparison_report(comparison: Comparison, origins: Origins = None) -> str:
    """The page of a study of variants: each measure with each lineup, with plots."""
    study = comparison.study
    others = list(range(1, len(study.variants)))
    parts = [[0, *others[first : first + _MOST_AT_ONCE]] for first in range(0, max(len(others), 1), _MOST_AT_ONCE)]
    return render_page(
        _PACKAGE,
        "comparison.html.j2",
        origins,
        comparison=comparison,
        study=study,
        rulesets=study.as_dict()["variants"],
        meanings={measure: meaning_of(measure) for measure in study.measures},
        parts=parts,
        plots=[[comparison_plots(comparison, lineup, part) for part in parts] for lineup in range(len(study.lineups))],
    )


def worth_report(worth: GeneWorth, origins: Origins = None) -> str:
    """The page of a study of genes: what buying each does, and at which price nothing, by variant and lineup."""
    plots = {
        "worth_plots": [worth_plot(trials, f"worth-{number}") for number, trials in enumerate(worth.trials)],
        "rounds_plots": [rounds_plot(trials, f"rounds-{number}") for number, trials in enumerate(worth.trials)],
    }
    about = {"worth": worth, "study": worth.study, "rulesets": worth.study.as_dict()["variants"]}
    return render_page(_PACKAGE, "worth.html.j2", origins, **about, **plots)


def fairer_report(game: FairerGame, origins: Origins = None) -> str:
    """The page of a search for a fairer game: what was tried, what was found, before and after."""
    search = game.search
    lineups = len(search.trials.lineups)
    return render_page(
        _PACKAGE,
        "fairer.html.j2",
        origins,
        game=game,
        search=search,
        beginning=game.candidates[0].values,
        ruleset=described(search.changed(game.best.values)),
        candidates_plot=candidates_plot(game),
        pairs=[(game.check.trials[lineup], game.check.trials[lineups + lineup]) for lineup in range(lineups)],
        plots=[gains_plot(game, lineup) for lineup in range(lineups)],
    )


def effects_report(found: Effects, origins: Origins = None) -> tuple[str, bytes]:
    """The page of a question: each figure before and after the change, and which differences count; and its picture."""
    question = found.question
    plot, picture = effects_plots(found)
    ordinary = [measure for measure in MEASURES if measure != "genes_bought"]  # which stands beside the genes' prices
    page = render_page(
        _PACKAGE,
        "effects.html.j2",
        origins,
        found=found,
        question=question,
        rulesets={BEFORE: described(question.before), AFTER: described(question.after)},
        prices=dict(zip(GENE_NAMES, zip(question.before.price, question.after.price, strict=True), strict=True)),
        genes={figure: found.of(figure) for figure in (NEUTRAL_PRICE, PAID, "genes_bought")},
        ordinary={measure: found.of(measure) for measure in ordinary},
        meanings={measure: meaning_of(measure) for measure in ordinary},
        plot=plot,
    )
    return page, picture
