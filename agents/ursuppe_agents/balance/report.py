"""The laboratory's results as HTML pages that need nothing else."""

from ursuppe_agents.balance.comparison import Comparison
from ursuppe_agents.balance.fairer import FairerGame
from ursuppe_agents.balance.measures import load_measure
from ursuppe_agents.balance.plots import (
    candidates_plot,
    comparison_plots,
    gains_plot,
    rounds_plot,
    worth_plot,
)
from ursuppe_agents.balance.study import described
from ursuppe_agents.balance.worth import GeneWorth
from ursuppe_agents.reports.page import render_page

_PACKAGE = "ursuppe_agents.balance"


def comparison_report(comparison: Comparison) -> str:
    """The page of a study of variants: each measure with each lineup, with plots."""
    study = comparison.study
    return render_page(
        _PACKAGE,
        "comparison.html.j2",
        comparison=comparison,
        study=study,
        rulesets={name: described(ruleset) for name, ruleset in study.variants},
        meanings={
            measure: (load_measure(measure).__doc__ or "").strip().partition("\n")[0] for measure in study.measures
        },
        plots=[comparison_plots(comparison, lineup) for lineup in range(len(study.lineups))],
    )


def worth_report(worth: GeneWorth) -> str:
    """The page of a study of genes: what buying each does, and at which price nothing, by variant and lineup."""
    return render_page(
        _PACKAGE,
        "worth.html.j2",
        worth=worth,
        study=worth.study,
        rulesets={name: described(ruleset) for name, ruleset in worth.study.variants},
        worth_plots=[worth_plot(trials, f"worth-{number}") for number, trials in enumerate(worth.trials)],
        rounds_plots=[rounds_plot(trials, f"rounds-{number}") for number, trials in enumerate(worth.trials)],
    )


def fairer_report(game: FairerGame) -> str:
    """The page of a search for a fairer game: what was tried, what was found, before and after."""
    search = game.search
    lineups = len(search.trials.lineups)
    return render_page(
        _PACKAGE,
        "fairer.html.j2",
        game=game,
        search=search,
        beginning=game.candidates[0].values,
        ruleset=described(search.changed(game.best.values)),
        candidates_plot=candidates_plot(game),
        pairs=[(game.check.trials[lineup], game.check.trials[lineups + lineup]) for lineup in range(lineups)],
        plots=[gains_plot(game, lineup) for lineup in range(lineups)],
    )
