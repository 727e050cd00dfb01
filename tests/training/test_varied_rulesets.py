"""Training on rulesets that vary: which are drawn, and that everything else goes on as with one."""

import warnings
from collections import Counter

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import agent as policy_agent
from ursuppe_agents.policies.board.weights import KINDS
from ursuppe_agents.policies.files import read_provenance
from ursuppe_agents.policies.rulesets import (
    NUM_ENVIRONMENT_CARDS,
    NUM_VARIED,
    NUMBERS_THAT_VARY,
    outside_training,
    training_rulesets,
    varied_rulesets,
)
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, NUMBERS, PER_GENE, SWITCHES
from ursuppe_training.exploit.evaluated import evaluated_agent
from ursuppe_training.exploit.plan import plan
from ursuppe_training.exploit.study import OWN_WEIGHTS, SCRATCH, ExploitStudy, budgets_of
from ursuppe_training.networks.critic import outcomes_of
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer

from support.training import TINY, silent

VARIED = TINY.changed({"rulesets": "varied"})


def test_a_third_of_a_training_is_as_printed_in_both_editions_equally():
    rulesets = training_rulesets(3, 5)
    counts = Counter(rulesets)
    printed = [counts[Ruleset(players=3, edition=edition)] for edition in EDITIONS]
    assert printed[0] == printed[1]
    assert 3 * sum(printed) == len(rulesets)
    assert len(counts) == NUM_VARIED + 2  # all others differ from the printed ones, and from each other
    assert {ruleset.players for ruleset in rulesets} == {3}
    editions = Counter(ruleset.edition for ruleset in rulesets)
    assert abs(editions["1998"] - editions["1997"]) < 150


def test_the_seed_alone_decides():
    assert training_rulesets(4, 1) == training_rulesets(4, 1)
    assert not set(varied_rulesets(4, 50, 1)) & set(varied_rulesets(4, 50, 2))
    assert varied_rulesets(4, 10, 1) == varied_rulesets(4, 50, 1)[:10]
    assert set(varied_rulesets(4, 50, 1)) <= set(training_rulesets(4, 1))


def numbers_of(ruleset, name):
    value = getattr(ruleset, name)
    if name == "environment":
        return [ozone for _, ozone in value]
    return list(value) if isinstance(value, tuple) else [value]


def test_every_number_and_switch_varies_within_its_limits():
    assert set(NUMBERS_THAT_VARY) == set(NUMBERS)
    rulesets = varied_rulesets(4, 400, 0)
    for name, (low, high, _) in NUMBERS_THAT_VARY.items():
        values = [number for ruleset in rulesets for number in numbers_of(ruleset, name)]
        assert low <= min(values) <= max(values) <= high, name
        assert len(set(values)) > 1, name
    for name in PER_GENE:
        by_gene = np.array([getattr(ruleset, name) for ruleset in rulesets])
        assert (by_gene != by_gene[0]).any(axis=0).all(), name
    for name in SWITCHES:
        for edition in EDITIONS:
            assert {getattr(ruleset, name) for ruleset in rulesets if ruleset.edition == edition} == {False, True}, name
    rounds = {len(ruleset.environment) for ruleset in rulesets}
    assert (min(rounds), max(rounds)) == NUM_ENVIRONMENT_CARDS[:2]
    assert 0 in {ruleset.cards[GENE_NAMES.index("armour")] for ruleset in rulesets}  # a gene out of the pack
    assert max(max(ruleset.cards) for ruleset in rulesets) <= 4


def test_near_numbers_are_more_frequent_than_far_ones_and_few_fields_than_many():
    rulesets = varied_rulesets(4, 1000, 0)
    steps = np.abs(np.array([ruleset.price for ruleset in rulesets]) - np.array(Ruleset().price)).ravel()
    near, middle, far = (np.isin(steps, range(start, start + 3)).sum() for start in (1, 4, 7))
    assert near > 1.5 * middle > 3 * far > 0
    assert (steps == 0).mean() > 0.6
    assert min(len(ruleset.changes()) for ruleset in rulesets) >= 1
    shares = np.array([np.mean(np.array(one.price) != np.array(Ruleset().price)) for one in rulesets])
    assert np.quantile(shares, 0.25) < 0.2
    assert np.quantile(shares, 0.75) > 0.35


def test_numbers_that_belong_together_make_sense():
    for players in (3, 4, 5, 6):
        for ruleset in varied_rulesets(players, 100, 3):
            assert list(ruleset.amoeba_places) == sorted(ruleset.amoeba_places)
            assert list(ruleset.gene_places) == sorted(ruleset.gene_places)
            assert ruleset.first_damage < ruleset.deadly_damage <= ruleset.long_life_damage
            assert ruleset.fast_division_cost <= ruleset.division_cost
            assert max(ruleset.cards) <= players


def test_which_ruleset_a_game_has_follows_from_seed_row_and_episode():
    config = VARIED.changed({"envs": 600, "rollout": 2})
    first = played_by(Trainer(config))
    assert 0.25 < np.mean([not ruleset.changes() for ruleset in first]) < 0.42
    assert played_by(Trainer(config.changed({"envs": 150}))) == first[:150]  # in other groups
    assert played_by(Trainer(config.changed({"seed": 9}))) != first
    trainer = Trainer(config)
    for group in trainer.self_play.groups:
        games = group._games
        games.play_random()
        games.reset(np.arange(len(games)) < 100)  # those go on
        group.rulesets.begin(games, games.finished, seed=None)
        assert (games.state["episode"] == 1).all()
    second = played_by(trainer)
    assert np.mean([before == after for before, after in zip(first, second, strict=True)][100:300]) < 0.2
    assert second[:100] == first[:100]


def played_by(trainer):
    """The ruleset of each game of a training."""
    games = [group._games for group in trainer.self_play.groups]
    return [some.ruleset_of(row) for some in games for row in range(len(some))]


def test_the_reward_of_each_game_is_that_of_its_ruleset():
    rulesets = [Ruleset(end_zone=30), Ruleset(end_zone=60)]
    games = Games(10, rulesets, seed=1)
    games.play_random()
    expected = [final_rewards("margin", games.markers[row], rulesets[row % 2], np.float32) for row in range(10)]
    np.testing.assert_array_equal(outcomes_of(games, None)[:, :, 0, KINDS.index("margin")], expected)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "varied"
    config = VARIED.changed({"edition": "1997", "steps": 600, "evaluate_every": 300, "evaluation_games": 4})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Run.begin(folder, config, silent).train()
    return folder


def test_a_run_says_what_it_was_trained_on_and_is_measured_as_printed(run_folder):
    found = read_provenance(run_folder / "best.zip")
    assert (found.rulesets, found.played) == ("varied", Ruleset(edition="1997"))
    assert found.in_words().startswith("trained with 4 players on varied rulesets, both editions, ")
    assert '"rulesets": "varied"' in (run_folder / "provenance.json").read_text()
    assert '"rulesets": "varied"' in (run_folder / "evaluation.json").read_text()


def test_it_plays_with_any_ruleset_without_a_warning(run_folder, monkeypatch):
    monkeypatch.setattr(policy_agent, "_announced", set())
    agent = make_agent(agent_spec("policy", model=str(run_folder / "best.zip")), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TrainedElsewhereWarning)
        for rulesets in ([Ruleset()], varied_rulesets(4, 5, 99)):
            agent.act(Games(5, rulesets), np.arange(5))


def test_its_best_responses_are_trained_on_the_ruleset_of_the_study(run_folder):
    evaluated = evaluated_agent(agent_spec("policy", model=str(run_folder / "best.zip")))
    ruleset = Ruleset(income=12)
    study = ExploitStudy(evaluated=evaluated, budgets=budgets_of(evaluated, percent=(20,)), seeds=(0,), ruleset=ruleset)
    runs = plan(study, evaluated, 400.0)
    assert [run.beginning for run in runs] == [OWN_WEIGHTS, SCRATCH]
    for run in runs:
        assert run.config.rulesets == "given"
        assert run.config.ruleset == ruleset
        trainer = Trainer(run.config, device="cpu")
        assert {one for group in trainer.self_play.groups for one in group._games.rulesets} == {ruleset}
        trainer.run()
        assert trainer.decisions >= 120  # a fifth of 600


@pytest.mark.parametrize("players", [3, 6])
def test_nothing_that_is_drawn_lies_outside(players):
    for ruleset in training_rulesets(players, seed=5)[-300:]:
        assert outside_training(ruleset) == []


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"players": 5, "amoebas": 7, "amoeba_places": list(range(8))}, ["amoebas is 7; in training it was 5 to 6"]),
        ({"price": {"speed": 13, "armour": 12}}, ["price.speed is 13; in training it was 0 to 12"]),
        ({"cards": {"speed": 4}}, ["cards.speed is 4; in training it was 0 to 3"]),  # nobody needs two
        ({"income": 5, "own_clinging": True}, ["income is 5; in training it was 6 to 16"]),
        ({"gene_places": [0, 1]}, ["gene_places has 2 entries; in training it had "]),
        ({"amoeba_places": [0, 0, 3, 2, 4, 5, 6, 7]}, ["amoeba_places is [0, 0, 3, 2, 4, 5, 6, 7]; in training more "]),
        ({"environment": [("west", 9)] * 7}, ["environment has 7 entries; in training it had 8 to 14"]),
        ({"environment": [("west", 9)] * 8 + [("none", 20)]}, ["the ozone value of card 9 is 20; in training it was "]),
        ({"fast_division_cost": 8}, ["division_cost is less than fast_division_cost; in training it never was"]),
        ({"end_zone": 20}, ["end_zone is 20; in training it was 25 to 60"]),
    ],
)
def test_what_lies_outside_is_named(changes, lines):
    found = outside_training(Ruleset(**{"players": 3, **changes}))
    assert len(found) == len(lines)
    assert all(line.startswith(begin) for line, begin in zip(found, lines, strict=True))
