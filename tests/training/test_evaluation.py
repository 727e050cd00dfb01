"""Evaluations of policies: what is played, what comes out, its history and picture, and the command."""

import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from ursuppe_agents import make_agent
from ursuppe_agents.draws import key_from
from ursuppe_agents.policies.files import read_provenance
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.opponents import play_others
from ursuppe_env.teams import DUEL
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_lab.statistics import Interval, bootstrap
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation.curves import draw_curves
from ursuppe_training.evaluation.evaluate import (
    Evaluation,
    MatchupResult,
    evaluate_policy,
    evaluation_file,
    evaluation_tournament,
    play_duel,
    play_evaluation,
    read_evaluation,
)
from ursuppe_training.evaluation.history import read_history, win_rates_of, write_history
from ursuppe_training.networks.files import save_policy
from ursuppe_training.provenance import provenance_of

from support.command import printed, refusal
from support.policies import SMALL, random_policy


def evaluation_of(*means, seed=5):
    """An evaluation against ``random`` and ``grow`` with these win rates, each 0.05 more or less."""
    results = tuple(
        MatchupResult(opponent, 400, Interval(mean, mean - 0.05, mean + 0.05), (mean - 0.1, mean, mean, mean + 0.1))
        for opponent, mean in zip(("random", "grow"), means, strict=True)
    )
    return Evaluation(seed, 0.25, results)


OF_TWO_SEEDS = Evaluation(5, 0.25, (MatchupResult("grow", 8, Interval(0.25, None, None), (0.5, 0.0, 0.5, 0.0)),))


@pytest.mark.parametrize("players", [3, 4])
def test_it_plays_each_seed_once_in_each_seat(players, tmp_path):
    config = TrainingConfig(players=players)
    for name, seed in (("one", 3), ("other", 0)):
        save_policy(random_policy(config, seed), config, tmp_path / f"{name}.zip")
    codes = [f"policy:{tmp_path / 'one.zip'}", f"policy:{tmp_path / 'other.zip'},deterministic=true"]
    num_games = 10 * players
    evaluation = evaluate_policy(tmp_path / "one.zip", [codes[1]], num_games - 1, 8, config.ruleset)  # rounded up
    assert evaluation.chance == 1 / players
    [result] = evaluation.results
    assert (result.opponent, result.games) == (codes[1], num_games)

    # The same games, played without the arena.
    index, seats = np.divmod(np.arange(num_games), players)
    games = Games(num_games, config.ruleset, seed=8, index=index)
    one, other = (make_agent(code, 0) for code in codes)
    one.key = key_from(8, 0)  # by which it draws, in the tournament; the other one draws nothing
    play_others(games, seats, other)
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        games.step(one(games, rows), rows)
        play_others(games, seats, other)
    wins = (games.winner == seats).reshape(-1, players)
    assert 0 < wins.mean() < 1
    np.testing.assert_allclose(result.win_rate_by_seat, wins.mean(axis=0))
    expected = bootstrap(wins.mean(axis=1), np.random.default_rng(0))
    assert result.win_rate.estimate == pytest.approx(expected.estimate)
    np.testing.assert_allclose(result.win_rate, expected, atol=0.04)  # other resamples of the same seeds


def test_all_opponents_are_met_and_the_same_games_are_played_every_time(policy_file):
    ended = []
    first = evaluate_policy(policy_file, ["random", "grow"], 40, seed=3, on_progress=ended.append)
    assert [(result.opponent, result.games) for result in first.results] == [("random", 40), ("grow", 40)]
    assert ended[-1] == 80
    assert first == evaluate_policy(policy_file, ["random", "grow"], 40, seed=3)
    assert first != evaluate_policy(policy_file, ["random", "grow"], 40, seed=4)
    assert first.results[0].win_rate.estimate == pytest.approx(np.mean(first.results[0].win_rate_by_seat))


@pytest.mark.parametrize(("games_at_once", "batches"), [(None, 8), (16, 10), (1, 40), (1000, 1)])
def test_a_tournament_is_cut_into_as_many_games_at_once_as_it_says(games_at_once, batches):
    tournament = Tournament(lineups=(("grow", *["random"] * 3),) * 2, num_games=80, games_at_once=games_at_once)
    cut = list(tournament.batches())
    assert len(cut) == batches
    assert [batch.start for batch in cut] == [0] + [batch.stop for batch in cut[:-1]]
    assert cut[-1].stop == 40
    with pytest.raises(ValueError, match="games_at_once is 0; it must be an integer of at least 1"):
        replace(tournament, games_at_once=0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_games": 0}, "num_games is 0"),
        ({"pool": ["random", "grow", "random"]}, r"pool is \['random', 'grow', 'random'\]; it has random twice"),
        ({"pool": []}, r"pool is \[\]; it must have at least one agent"),
        ({"pool": ["mixed", "grow"]}, "it must have at least 2 agents, of which 'mixed' makes tables"),
        ({"pool": ["nobody"]}, "there is no agent 'nobody'"),
        ({"ruleset": Ruleset(players=3)}, "trained with 4 players; these games have 3"),
    ],
)
def test_what_cannot_be_played_is_refused(change, message, policy_file):
    with pytest.raises(ValueError, match=message):
        evaluate_policy(**{"model": policy_file, "pool": ["random"], "num_games": 4, **change})


def test_a_policy_is_not_evaluated_among_itself(policy_file):
    with pytest.raises(ValueError, match="which is evaluated; it must have other agents"):
        evaluate_policy(policy_file, ["random", f"policy:model={policy_file}"], 4)


@pytest.mark.parametrize(
    ("pool", "players", "tables"),
    [
        (["grow", "hunter", "mixed"], 3, ["grow hunter"]),
        (["a", "b", "c", "d", "mixed"], 4, ["a b c", "b c d", "c d a", "d a b"]),
        (["a", "mixed", "b", "c", "d"], 3, ["a b", "b c", "c d", "d a"]),
        (["a", "b", "mixed"], 4, ["a b a", "b a b"]),  # as different as can be
    ],
)
def test_at_mixed_tables_each_agent_of_the_pool_is_as_often(pool, players, tables):
    tournament = evaluation_tournament(Path("p.zip"), pool, 4, ruleset=Ruleset(players=players))
    agents = [spec for spec in pool if spec != "mixed"]
    others = [lineup[1:] for lineup in tournament.lineups]
    assert others[: len(agents)] == [(agent,) * (players - 1) for agent in agents]
    assert [" ".join(table) for table in others[len(agents) :]] == tables


def test_mixed_tables_are_one_figure(policy_file):
    evaluation = evaluate_policy(policy_file, ["random", "grow", "hunter", "breeder", "mixed"], 40, seed=3)
    results = {result.opponent: result for result in evaluation.results}
    assert len(results) == 5
    mixed = results["mixed"]
    assert mixed.games == 4 * 40
    assert mixed.win_rate.estimate == pytest.approx(np.mean(mixed.win_rate_by_seat))
    assert results["grow"].games == 40
    assert evaluation.about_intervals == "95 % intervals"


@pytest.mark.parametrize(("text", "others"), [("", 3), ("0+2,1+3", 1)])
def test_in_a_duel_each_is_alone_among_copies_of_the_other(text, others, tmp_path):
    config, files = SMALL.changed({"teams": text}), [tmp_path / "a.zip", tmp_path / "b.zip"]
    for seed, file in enumerate(files):
        save_policy(random_policy(config, seed), config, file)
    with pytest.raises(ValueError, match="they must be two policies"):
        play_duel(files[0], files[0], 12, 3, Ruleset(), config.partition)
    duel = play_duel(*files, 12, 3, Ruleset(), config.partition)
    one, another = (f"policy:model={file}" for file in files)
    lineups = (one, *[another] * others), (another, *[one] * others)
    tournament = Tournament(lineups=lineups, num_games=12, seed=3, teams=DUEL if text else None)
    _, summary = play_tournament(tournament, workers=1)
    for lineup, result, rest in zip(summary.lineups, duel, files[::-1], strict=True):
        assert (result.games, result.opponent, len(result.win_rate_by_seat)) == (12, str(rest), others + 1)
        assert lineup.win_rates[lineup.lineup[0]].estimate == pytest.approx(result.win_rate.estimate)


def test_a_result_says_all_that_is_needed_to_judge_it():
    evaluation = evaluation_of(0.9, 0.3)
    written = json.loads(evaluation_file(evaluation, provenance_of(SMALL)))
    assert (written["seed"], written["chance"]) == (5, 0.25)
    assert written["results"][1] == {
        "opponent": "grow",
        "games": 400,
        "win_rate": pytest.approx({"estimate": 0.3, "low": 0.25, "high": 0.35}),
        "win_rate_by_seat": pytest.approx([0.2, 0.3, 0.3, 0.4]),
    }
    console = Console(width=100, file=io.StringIO())
    console.print(evaluation.as_table())
    printed = console.file.getvalue()
    assert "Wins of one against 3; chance 25.0%; 95 % intervals" in printed
    [line] = [line for line in printed.splitlines() if "3 grow" in line]
    assert "400" in line
    assert "30.0 % (25.0–35.0)" in line
    assert "20.0 30.0 30.0 40.0" in line


def test_of_too_few_seeds_it_says_that_there_are_no_intervals(tmp_path):
    evaluation = OF_TWO_SEEDS
    said = "no intervals: 2 seeds are too few, at least 10 are needed"
    written = json.loads(evaluation_file(evaluation, provenance_of(SMALL)))
    assert written["intervals"] == said
    assert written["results"][0]["win_rate"]["low"] is None
    console = Console(width=100, file=io.StringIO())
    console.print(evaluation.as_table())
    assert f"Wins of one against 3; chance 25.0%; {said}" in " ".join(console.file.getvalue().split())
    assert "25.0 % │" in console.file.getvalue()
    history = win_rates_of(evaluation, 1000, 2.5)
    write_history(tmp_path / "evaluations.jsonl", history)
    assert read_history(tmp_path / "evaluations.jsonl") == history
    assert (history[0].low, history[0].high) == (None, None)
    draw_curves(history)


def test_an_evaluation_is_read_back(tmp_path):
    path = tmp_path / "evaluation.json"
    for one in (evaluation_of(0.9, 0.3), OF_TWO_SEEDS):
        path.write_bytes(evaluation_file(one, provenance_of(SMALL)))
        assert read_evaluation(path) == one
    for content in ("", "[]", "{}", '{"results": [{}]}', '{"results": 3, "seed": 1, "chance": 0.25}'):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"evaluation\.json is damaged, or no evaluation"):
            read_evaluation(path)


def test_a_history_is_read_back(tmp_path):
    path = tmp_path / "evaluations.jsonl"
    first, second = evaluation_of(0.2, 0.1), evaluation_of(0.5, 0.3)
    history = win_rates_of(first, 1000, 2.5) + win_rates_of(second, 2000, 5.0)
    write_history(path, history)
    assert read_history(path) == history
    figure = read_history(path)[-1]
    assert (figure.step, figure.seconds, figure.opponent) == (2000, 5.0, "grow")
    assert (figure.mean, figure.low, figure.high, figure.games, figure.chance) == (0.3, 0.25, 0.35, 400, 0.25)
    assert pl.read_ndjson(path).height == 4


@pytest.mark.parametrize("line", ["{", "[]", '{"step": 3}', "\ufffe", "[" * 5000])
def test_a_damaged_history_is_refused_with_its_line(line, tmp_path):
    path = tmp_path / "evaluations.jsonl"
    write_history(path, win_rates_of(evaluation_of(0.2, 0.1), 1000, 2.5))
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"evaluations\.jsonl, line 3: it is damaged"):
        read_history(path)


def test_the_curves_are_a_picture_in_which_opponents_are_named_as_they_are():
    codes, history = ("grow", "policy:model=$a$_{b}.zip", "_mine:Bot", "<b>&amp;:Bot"), []
    for step in range(4):
        win_rate = Interval(0.2 + 0.1 * step, 0.1, 0.6)
        results = tuple(MatchupResult(code, 400, win_rate, (0.5,) * 4) for code in codes)
        history += win_rates_of(Evaluation(5, 0.25, results), step * 10**6, 60.0)
    content = draw_curves(history)
    assert content == draw_curves(history)
    shown = {*codes, "chance", "one against 3", "decisions learned from", "3M"}
    assert shown <= {element.text for element in ET.fromstring(content).iter()}
    assert content != draw_curves(history[: -len(codes)])
    draw_curves(history[: len(codes)])  # a single evaluation


def test_the_command_evaluates_the_best_policy_of_a_run(policy_file, tmp_path, capsys):
    run, out = tmp_path / "run", tmp_path / "out"
    run.mkdir()
    (run / "best.zip").write_bytes(policy_file.read_bytes())
    arguments = ["evaluate", run, "--against", "random", "--against", "grow", "--games", "30", "--seed", "4"]
    arguments += ["--workers", "1", "--out", out]
    told = printed(capsys, *arguments)
    expected = play_evaluation(evaluation_tournament(policy_file, ["random", "grow"], 30, 4), workers=1)
    written = json.loads((out / "evaluation.json").read_bytes())
    assert written == json.loads(evaluation_file(expected, read_provenance(policy_file)))
    assert read_evaluation(out / "evaluation.json") == expected
    assert read_provenance(policy_file).in_words() in " ".join(told.split())
    for result in expected.results:
        assert f" {100 * result.win_rate.estimate:.1f} % " in told
    assert str(out / "arena" / "report.html") in told
    assert pl.read_parquet(out / "arena" / "games.parquet").height == 2 * 32

    part = out / "arena" / "parts" / "00000.part"
    part.unlink()
    written = (out / "arena" / "parts" / "00001.part").stat().st_mtime_ns
    assert printed(capsys, *arguments) == told
    assert part.exists()
    assert (out / "arena" / "parts" / "00001.part").stat().st_mtime_ns == written

    save_policy(random_policy(seed=1), SMALL, run / "best.zip")  # the run goes on
    assert "is not the policy of" in refusal(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no/such/policy.zip"], "no/such/policy.zip: No such file"),
        (["."], "best.zip: No such file"),
        (["text.zip"], "text.zip is damaged, or no policy"),
        (["POLICY", "--games", "0"], "--games is '0'; it must be "),
        (["POLICY", "--against", "nobody"], "there is no agent 'nobody'"),
        (["POLICY", "--seed", "-1"], "seed is -1"),
        (["POLICY", "--out", "text.zip"], "text.zip"),
        (["POLICY", "--out", "."], ". exists and is no folder of an evaluation; give another, or one that is empty"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, policy_file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("text.zip").write_text("no policy")
    assert message in refusal(capsys, "evaluate", *(policy_file if word == "POLICY" else word for word in arguments))
