"""Trials of genes with a horizon: what the player's own agent predicts, in place of who wins in the end."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ursuppe_agents import make_agent
from ursuppe_lab.arena.matches import seat_agents
from ursuppe_lab.balance import measure_genes
from ursuppe_lab.balance.branching import BRANCHES, chances_of_winning, predictor_of
from ursuppe_lab.balance.report import worth_report

from support.command import printed, refusal
from support.studies import gene_study

#: Plays as a hunter, and predicts chances that follow from BP alone, or from which gene cards are left.
SEERS = """
import numpy as np

from ursuppe_agents.scripted.agents import Hunter
from ursuppe_env.rules.genes import Gene


class Seer(Hunter):
    def priors(self, games, rows):
        raise NotImplementedError


class Miser(Seer):
    def values(self, games, rows):
        likely = np.exp(0.1 * games.state["bp"][rows, : games.num_players])
        return likely / likely.sum(axis=1, keepdims=True)


class Clerk(Seer):
    def values(self, games, rows):
        is_left = games.state["supply"][rows, Gene.TENTACLE] > 0
        return np.repeat(is_left[:, None] * 0.5 + 0.1, games.num_players, axis=1)
"""
MISER, CLERK = "seers:Miser", "seers:Clerk"
FILE = """
kind = "genes"
name = "Predicted"
lineups = [["seers:Miser"]]
games = 8
rounds = [1]
horizon = 1

[base]
players = 3
"""


@pytest.fixture(autouse=True, scope="module")
def seers(tmp_path_factory):
    """The module of the agents that predict, where it can be imported."""
    folder = tmp_path_factory.mktemp("seers")
    (folder / "seers.py").write_text(SEERS)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
    sys.modules.pop("seers", None)


def study(agent=MISER, games=24, horizon: int | None = 1):
    return gene_study(agent=agent, num_games=games, horizon=horizon)


def test_what_counts_is_the_chance_that_the_agent_predicts_after_the_horizon():
    """That of the branch without interference: the game as it is played anyway, since a hunter draws nothing."""
    for horizon in (0, 2):
        found = study(horizon=horizon, games=12)
        trials, _ = measure_genes(found, workers=1)
        [batch, *_] = found.tournaments(0)[0].batches()
        checked = 0
        for row in trials.filter(pl.col("asked") & (pl.col("gene") == "speed")).rows(named=True):
            if row["index"] >= batch.stop:
                continue
            matches = seat_agents(batch)
            last = row["round"] + horizon
            matches.play(held=lambda games, last=last: games.rounds > last)
            bp = matches.games.state["bp"][row["index"], :3].astype(float)
            likely = np.exp(0.1 * bp)
            assert row["natural"] == pytest.approx((likely / likely.sum())[row["player"]])
            checked += 1
        assert checked > 0


def test_beyond_the_end_of_the_games_it_is_who_won():
    ended, played = (measure_genes(study(horizon=horizon), workers=1)[0] for horizon in (20, None))
    for name in BRANCHES:
        assert ended[name].equals(played[name].cast(pl.Float64))
    assert ended.drop(BRANCHES).equals(played.drop(BRANCHES))


def test_who_is_denied_a_gene_is_predicted_as_if_no_card_of_it_were_left():
    trials, _ = measure_genes(study(CLERK), workers=1)
    tried = trials.filter(pl.col("denied").is_not_null() & (pl.col("gene") == "tentacle"))
    assert len(tried) > 5
    assert set(tried["denied"]) == {0.1}
    others = trials.filter(pl.col("denied").is_not_null() & (pl.col("gene") != "tentacle"))
    assert set(others["denied"].round(6)) == {0.6}  # no hunter buys it


def test_each_player_is_judged_by_their_own_agent():
    found = replace(study(), lineups=((MISER, CLERK, CLERK),))
    matches = seat_agents(next(found.tournaments(0)[0].batches()))
    first = np.zeros(len(matches.games), np.int64)
    of_agent = np.array([matches.specs[member] for member in matches.seating[:, 0]])
    chances = chances_of_winning(matches, first, np.full(len(first), -1))
    assert set(of_agent) == {MISER, CLERK}
    assert chances[of_agent == MISER] == pytest.approx(1 / 3)  # all have the same BP at the start
    assert chances[of_agent == CLERK] == pytest.approx(0.6)


def test_an_agent_that_predicts_nothing_is_refused_before_anything_is_played():
    message = "agent is 'hunter', which predicts no chances of winning; for predictions it must be a policy"
    with pytest.raises(ValueError, match=message):
        measure_genes(study("hunter"), workers=1, on_progress=lambda over: pytest.fail("played"))


def test_a_search_predicts_what_its_policy_does():
    agent = make_agent("search:sims=4", 0)
    agent.evaluator = make_agent(MISER, 0)
    assert predictor_of("search", agent) is agent.evaluator


def test_predictions_are_said_to_be_predictions(seers, monkeypatch, capsys):
    monkeypatch.chdir(seers)
    Path("predicted.toml").write_text(FILE)
    command = ["balance", "predicted.toml", "--workers", "1", "--allow-module", "seers", "--out", "out"]
    said = "Chances of winning are predictions: each branch was played 1 round after that of the purchase"
    assert said in " ".join(printed(capsys, *command).split())
    summary = json.loads(Path("out/summary.json").read_text())
    assert summary["predictions"].startswith(said)
    assert summary["study"]["horizon"] == 1
    assert said in Path("out/report.html").read_text()
    Path("predicted.toml").write_text(FILE.replace("horizon = 1", "horizon = 2"))
    assert "out holds another run: its horizon is 1, not 2" in refusal(capsys, *command)


def test_trials_played_to_the_end_say_nothing_of_predictions():
    _, worth = measure_genes(study(horizon=None, games=4), workers=1)
    assert "horizon" not in worth.study.as_dict()
    assert worth.as_dict()["predictions"] is None
    assert "redict" not in worth_report(worth)


@pytest.mark.parametrize("horizon", [-1, 1.5, "one"])
def test_a_wrong_horizon_is_named(horizon):
    with pytest.raises(ValueError, match=r"horizon (is|must be) .*0"):
        study(horizon=horizon)
