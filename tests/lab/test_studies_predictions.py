"""Amortised balance: how far predictions are from what was played, of made-up figures and of a policy's."""

import re

import numpy as np
import pytest

from studies import predictions as predictions_module
from studies.pictures import predictions_picture
from studies.predictions import (
    NEUTRAL_PRICE,
    PAID,
    FoundPredictions,
    Predictions,
    biases,
    number_of_changes,
    play_predictions,
    prediction_tables,
    quality,
    ruleset_errors,
)
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import report
from ursuppe_lab.statistics.ratios import Bootstrapped
from ursuppe_training.networks.files import save_policy

from support.policies import SMALL, random_policy

RULESETS = [f"ruleset-{number}" for number in range(12)]
AGENT = "policy:default"


def figures(generator, error=0.01, shifted=None, scale=1.0):
    """What is found of genes whose truth is 0.1 of their number, by ruleset and gene."""
    found = {}
    for name in RULESETS:
        for id, gene in enumerate(GENE_NAMES):
            truth = scale * (0.05 * (id % 7) - 0.1) + (shifted or {}).get(gene, 0.0) + (shifted or {}).get(name, 0.0)
            estimate = truth + error * generator.standard_normal()
            found[name, gene] = Bootstrapped(estimate, estimate + error * generator.standard_normal(400))
    return found


def compared(seed=0, **predicted):
    generator = np.random.default_rng(seed)
    return quality(PAID, figures(generator, **predicted), figures(generator), 100)


# ---------------------------------------------------------------------- how good they are


def test_predictions_that_are_right_are_not_apart_beyond_chance():
    found = compared()
    assert found.chance == pytest.approx((1, 1), abs=0.1)  # points
    assert found.beyond_chance.low < 0.3
    assert found.beyond_chance.high < 1.2  # as two errors of 1 are apart by 1.4
    assert found.mean.contains(0)
    assert found.slope.estimate == pytest.approx(1, abs=0.05)
    assert found.disagreeing <= 2


def test_predictions_that_exaggerate_have_a_slope_below_1():
    assert compared(scale=2.0).slope.estimate == pytest.approx(0.5, abs=0.05)


def test_genes_that_are_predicted_too_high_everywhere_are_named_and_no_others():
    named = [
        bias.gene for seed in range(8) for bias in biases(compared(seed, shifted={"speed": 0.03})) if bias.is_shown
    ]
    assert named.count("speed") == 8
    assert len(named) <= 8 + 2
    worst, *_ = biases(compared(shifted={"speed": 0.03}))
    assert worst.gene == "speed"
    assert worst.mean.contains(3)


def test_the_ruleset_with_the_largest_error_comes_first():
    first, second, *_ = ruleset_errors(compared(shifted={"ruleset-3": 0.05}))
    assert first[0] == "ruleset-3"
    assert first[1].contains(5)
    assert second[1].estimate < 2


def test_what_one_way_alone_knows_is_not_compared():
    generator = np.random.default_rng(0)
    some = figures(generator)
    fewer = {key: figure for key, figure in some.items() if key[1] == "speed"}
    assert len(quality(PAID, some, fewer, 100).pairs) == len(RULESETS)
    assert quality(PAID, some, {}, 100) is None


def test_changes_of_a_ruleset_are_counted():
    printed = Ruleset()
    assert number_of_changes(printed) == 0
    changed = printed.replace(price={"speed": 5, "armour": 2}, own_clinging=True, income=12)
    assert number_of_changes(changed) == 4
    assert number_of_changes(printed.replace(environment=list(printed.environment)[:-1])) == 1


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
    monkeypatch.setattr(predictions_module, "FEWEST_PAID", 5)
    study = Predictions(players=3, agent=policies[0], rulesets=2, games=24, horizons=(0,))
    tables = prediction_tables(play_predictions(study, tmp_path, 1))
    assert "\n| paid | 0 | " in tables["predictions quality 3"]


# ---------------------------------------------------------------------- tables


def found_predictions(**shifted: float) -> FoundPredictions:
    generator = np.random.default_rng(1)
    predicted = figures(generator, shifted=shifted)
    qualities = {(1, figure): quality(figure, predicted, figures(generator), 100) for figure in (PAID, NEUTRAL_PRICE)}
    study = Predictions(players=4, agent=AGENT, rulesets=len(RULESETS), horizons=(1,))
    return FoundPredictions(study, qualities)


def test_the_tables_say_where_predictions_fail():
    found = found_predictions(speed=0.05)
    tables = prediction_tables(found)
    assert tables["predictions paid of genes 4"].startswith("Speed (+")
    assert re.match(r"ruleset-\d+, with \d+ numbers and switches changed", tables["predictions paid of rulesets 4"])
    assert predictions_picture([found]).startswith(b"<svg")
