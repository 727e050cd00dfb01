"""Doing a study, and keeping its results."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ursuppe_agents.evaluator import Trained
from ursuppe_env.extras import require_extra
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_lab.arena.matches import try_agents
from ursuppe_lab.balance.branching import predictor_of
from ursuppe_lab.balance.fairer import Candidate, FairerGame, FairerSearch, best_of, next_values
from ursuppe_lab.balance.figures.comparison import Comparison, compare
from ursuppe_lab.balance.figures.effects import Effects, effects_of
from ursuppe_lab.balance.figures.spread import Gains, gains, spread
from ursuppe_lab.balance.figures.worth import GeneWorth, gene_worth
from ursuppe_lab.balance.question import Question
from ursuppe_lab.balance.trials import GeneStudy, keys_of_trials, play_trials
from ursuppe_lab.balance.variants import VariantStudy, play_variant
from ursuppe_lab.jobs.folder import RunFolder, do_parts

OnProgress = Callable[[int], None]


def compare_variants(
    study: VariantStudy,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: OnProgress | None = None,
) -> tuple[pl.DataFrame, Comparison]:
    """Play a study of variants, or what is left of it.

    Args:
        study: what to play.
        folder: for ``games.parquet``, ``summary.json``, ``report.html``, and each part as soon as it is done, so that
            the same call resumes an interrupted one. None: nothing is kept.
        workers: processes; None: one per core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over, at first and then after each part.

    Returns:
        A row for each game (``study.columns``), and the figures.

    Raises:
        AgentError: an agent crashed or gave an illegal action; the parts that are done are kept.
        ValueError: an argument is out of its range, a spec describes no agent, a measure failed, or the folder belongs
            to something else.
        OSError: the folder cannot be read or written.
    """
    kept = _begin(study, folder)
    games = do_parts(play_variant, study.batches(), lambda batch: batch.keys, kept, workers, ray, on_progress)
    comparison = compare(study, games)
    if kept is not None:
        from ursuppe_lab.balance.report import comparison_report  # matplotlib, which the workers need not wait for

        kept.write_results(games, comparison.as_dict(), comparison_report(comparison, kept.origins))
    return games, comparison


def measure_genes(
    study: GeneStudy,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: OnProgress | None = None,
) -> tuple[pl.DataFrame, GeneWorth]:
    """Play the trials of a study of genes, or what is left of them.

    Arguments and errors are those of ``compare_variants``.

    Returns:
        A row for each gene in each game (``study.columns``), and what the genes are worth.
    """
    kept, trials = _play_all_trials(study, folder, workers, ray, on_progress)
    worth = gene_worth(study, trials)
    if kept is not None:
        from ursuppe_lab.balance.report import worth_report  # as in compare_variants

        kept.write_results(trials, worth.as_dict(), worth_report(worth, kept.origins))
    return trials, worth


def search_fairer(
    search: FairerSearch,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: OnProgress | None = None,
) -> FairerGame:
    """Search for a fairer game, or resume a search.

    The same search tries the same candidates, however often it is interrupted. Arguments and errors are those of
    ``compare_variants``; the folder has one for each candidate and one for the check.
    """
    require_extra("balance")  # Optuna, which is not needed before some games were played
    kept = _folder(folder, search.as_dict(), search.trials)
    tried: list[Candidate] = []
    for number in range(search.candidates):
        values = next_values(search, tried)
        candidate = next((earlier for earlier in tried if earlier.values == values), None)
        if candidate is None:
            study = replace(search.trials, variants=(("candidate", search.changed(values)),))
            into = folder and folder / f"candidate-{number:03}"
            report = _counted_from(number * search.trials.total_games, on_progress)
            found = _by_lineup(study, _play_all_trials(study, into, workers, ray, report)[1], 0)
            variance = float(np.mean([table.variance().estimate for table in found]))
            candidate = Candidate(values, spread(found).interval(), variance, found)
        tried.append(candidate)
    best = best_of(tried)
    check = search.check(search.changed(best.values))
    report = _counted_from(search.candidates * search.trials.total_games, on_progress)
    _, rows = _play_all_trials(check, folder and folder / "check", workers, ray, report)
    before, after = (spread(_by_lineup(check, rows, variant)) for variant in range(2))
    spreads = before.interval(), after.interval(), after.minus(before).interval()
    game = FairerGame(search, tried, best, gene_worth(check, rows), *spreads)
    if kept is not None:
        from ursuppe_lab.balance.report import fairer_report  # as in compare_variants

        kept.write_results(rows, game.as_dict(), fairer_report(game, kept.origins))
    return game


def ask(
    question: Question,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: OnProgress | None = None,
) -> Effects:
    """Play what a question needs, or what is left of it.

    Arguments and errors are those of ``compare_variants``; the folder has one for trials and one for ordinary games.
    """
    unfamiliar = unfamiliar_to(question)
    kept = _folder(folder, question.as_dict(), question.trials)
    trials, worth = measure_genes(question.trials, folder and folder / "genes", workers, ray, on_progress)
    report = _counted_from(question.trials.total_games, on_progress)
    _, comparison = compare_variants(question.ordinary, folder and folder / "games", workers, ray, report)
    found = effects_of(question, trials, worth, comparison, unfamiliar)
    if kept is not None:
        from ursuppe_lab.balance.report import effects_report  # as in compare_variants

        kept.write_summary(found.as_dict())
        page, picture = effects_report(found, kept.origins)
        kept.write("report.html", page.encode())
        kept.write("picture.svg", picture)
    return found


def unfamiliar_to(question: Question) -> list[str]:
    """What of the rulesets lies outside what the agent was trained on, in words, a line for each field.

    Raises:
        ValueError: there is no such agent, or it predicts nothing.
        OSError: its file cannot be read.
    """
    evaluator = predictor_of(question.agent)
    if not isinstance(evaluator, Trained):
        return [f"{question.agent} does not say what it was trained on"]
    return list(dict.fromkeys([*evaluator.unfamiliar(question.before), *evaluator.unfamiliar(question.after)]))


def _play_all_trials(
    study: GeneStudy, folder: Path | None, workers: int | None, ray: bool, on_progress: OnProgress | None
) -> tuple[RunFolder | None, pl.DataFrame]:
    """The trials of a study of genes, and the folder that has its parts, without its results."""
    kept = _begin(study, folder)
    report = on_progress and (lambda rows: on_progress(rows // NUM_GENES))
    return kept, do_parts(play_trials, study.batches(), keys_of_trials, kept, workers, ray, report)


def _counted_from(over: int, on_progress: OnProgress | None) -> OnProgress | None:
    """Progress of games that follow so many others."""
    return on_progress and (lambda games: on_progress(over + games))


def _begin(study: VariantStudy | GeneStudy, folder: Path | None) -> RunFolder | None:
    """Try the measures and the agents before anything is played, and find the folder."""
    _ = study.columns  # a wrong measure shows
    if isinstance(study, GeneStudy) and study.horizon is not None:
        for spec in dict.fromkeys(spec for lineup in study.lineups for spec in lineup):
            predictor_of(spec)
    for _, _, tournament in study.all_tournaments():
        try_agents(tournament)
    return _folder(folder, study.as_dict(), study)


def _folder(folder: Path | None, settings: dict[str, Any], study: VariantStudy | GeneStudy) -> RunFolder | None:
    """The folder of what is made of the games of a study; None: nothing is kept."""
    if folder is None:
        return None
    agents = [spec for lineup in study.lineups for spec in lineup]
    players = [ruleset.players for _, ruleset in study.variants]
    return RunFolder(folder, settings, study.columns, dict.fromkeys(agents), players)


def _by_lineup(study: GeneStudy, rows: pl.DataFrame, variant: int) -> list[Gains]:
    return [gains(study, rows, variant, lineup) for lineup in range(len(study.lineups))]
