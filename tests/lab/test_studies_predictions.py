"""Amortised balance: how far predictions are from what was played, of made-up figures and of a policy's."""

import numpy as np
import pytest

from studies import predictions as predictions_module
from studies.pictures import predictions_picture
from studies.predictions import (
    FoundPredictions,
    Predictions,
    play_predictions,
    prediction_tables,
    quality,
)
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import report
from ursuppe_lab.statistics.ratios import Bootstrapped
from ursuppe_training.networks.files import save_policy

from support.policies import SMALL, random_policy

RULESETS = [f"ruleset-{number}" for number in range(12)]
AGENT = "policy:default"


def figures(generator, error=1.0, scale=1.0):
    """What is found of genes whose truth goes by their number, by ruleset and gene."""
    found = {}
    for name in RULESETS:
        for id, gene in enumerate(GENE_NAMES):
            truth = scale * (5 * (id % 7) - 10)
            estimate = truth + error * generator.standard_normal()
            found[name, gene] = Bootstrapped(estimate, estimate + error * generator.standard_normal(400))
    return found


def compared(seed=0, **predicted):
    generator = np.random.default_rng(seed)
    return quality(figures(generator, **predicted), figures(generator), 100)


# ---------------------------------------------------------------------- how good they are


def test_predictions_that_are_right_are_not_apart_beyond_chance():
    found = compared()
    assert found.chance == pytest.approx((1, 1), abs=0.1)
    assert found.beyond_chance.low < 0.3
    assert found.beyond_chance.high < 1.2  # as two errors of 1 are apart by 1.4
    assert found.mean.contains(0)
    assert found.slope.estimate == pytest.approx(1, abs=0.05)
    assert found.disagreeing <= 2


def test_predictions_that_exaggerate_have_a_slope_below_1():
    assert compared(scale=2.0).slope.estimate == pytest.approx(0.5, abs=0.05)


def test_what_one_way_alone_knows_is_not_compared():
    generator = np.random.default_rng(0)
    some = figures(generator)
    fewer = {key: figure for key, figure in some.items() if key[1] == "speed"}
    assert len(quality(some, fewer, 100).pairs) == len(RULESETS)
    assert quality(some, {}, 100) is None


# ---------------------------------------------------------------------- what is played


@pytest.fixture(scope="module")
def policies(tmp_path_factory):
    """Specs of untrained policies for 3 players: of varied rulesets, and of one alone."""
    specs = []
    for rulesets in ("varied", "given"):
        config = SMALL.changed({"players": 3, "rulesets": rulesets})
        file = tmp_path_factory.mktemp(rulesets) / "policy.zip"
        save_policy(random_policy(config), config, file)
        specs.append(f"policy:model={file}")
    return specs


def test_rulesets_are_drawn_as_those_of_the_training_and_have_dice_of_their_own(policies):
    study = Predictions(players=3, agent=policies[0], rulesets=3, games=12)
    assert len(set(study.drawn)) == 3
    assert all(ruleset.players == 3 for ruleset in study.drawn)
    assert Predictions(players=3, agent=policies[0], rulesets=2).drawn == study.drawn[:2]
    assert len({study.study.tournaments(variant)[0].seed for variant in range(3)}) == 3


@pytest.mark.parametrize(
    ("players", "agent", "message"),
    [
        (3, 1, 'it must be one that was trained on rulesets = "varied"'),
        (4, 0, "the policy was trained with 3 players; these rulesets are for 4"),
        (3, "hunter", "which predicts no chances of winning"),
    ],
)
def test_agents_that_cannot_predict_are_refused(players, agent, message, policies):
    spec = agent if isinstance(agent, str) else policies[agent]
    with pytest.raises(ValueError, match=message):
        _ = Predictions(players=players, agent=spec).drawn


def test_trials_are_predicted_and_played(policies, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "worth_report", lambda *_: "")  # its pictures take longer than the games
    monkeypatch.setattr(predictions_module, "TRIAL_ROUNDS", (2,))
    found = play_predictions(Predictions(players=3, agent=policies[0], rulesets=2, games=24), tmp_path, 1)
    assert {folder.name for folder in tmp_path.iterdir()} == {"to-the-end", "horizon-1"}
    assert found.quality is None  # too few games


def test_what_has_too_few_games_is_no_row_of_the_table():
    found = [FoundPredictions(Predictions(players=3, agent=AGENT), None)]
    found.append(FoundPredictions(Predictions(players=4, agent=AGENT), compared()))
    _, _, row = prediction_tables(found)["predictions quality"].splitlines()
    assert row.startswith(f"| 4 | {len(RULESETS) * len(GENE_NAMES)} | 1.0 | ")
    assert predictions_picture(found).startswith(b"<svg")
