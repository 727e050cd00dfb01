"""The laboratory's results as HTML pages that need nothing else."""

from ursuppe_agents.balance.comparison import Comparison
from ursuppe_agents.balance.fairer import FairerGame
from ursuppe_agents.balance.measures import load_measure
from ursuppe_agents.balance.pictures import (
    candidates_picture,
    comparison_pictures,
    rounds_picture,
    surplus_picture,
    worth_picture,
)
from ursuppe_agents.balance.study import described
from ursuppe_agents.balance.worth import GeneWorth
from ursuppe_agents.reports.page import render_page

_PACKAGE = "ursuppe_agents.balance"


def comparison_report(comparison: Comparison) -> str:
    """The page of a study of variants: each measure at each table, with pictures."""
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
        pictures=[comparison_pictures(comparison, table) for table in range(len(study.tables))],
    )


def worth_report(worth: GeneWorth) -> str:
    """The page of a study of genes: what each is worth, by variant and table."""
    return render_page(
        _PACKAGE,
        "worth.html.j2",
        worth=worth,
        study=worth.study,
        rulesets={name: described(ruleset) for name, ruleset in worth.study.variants},
        worth_pictures=[worth_picture(trials, f"worth-{number}") for number, trials in enumerate(worth.trials)],
        rounds_pictures=[rounds_picture(trials, f"rounds-{number}") for number, trials in enumerate(worth.trials)],
    )


def fairer_report(game: FairerGame) -> str:
    """The page of a search for a fairer game: what was tried, what was found, before and after."""
    search = game.search
    tables = len(search.trials.tables)
    return render_page(
        _PACKAGE,
        "fairer.html.j2",
        game=game,
        search=search,
        beginning=game.candidates[0].values,
        ruleset=described(search.changed(game.best.values)),
        candidates_picture=candidates_picture(game),
        pairs=[(game.check.trials[table], game.check.trials[tables + table]) for table in range(tables)],
        pictures=[surplus_picture(game, table) for table in range(tables)],
    )
