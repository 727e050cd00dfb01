"""Runs that begin from the weights of a policy, and runs with a changed ruleset."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.files import read_temperature
from ursuppe_agents.policies.inputs import num_inputs
from ursuppe_agents.policies.seat_features import NUM_SEAT_FEATURES
from ursuppe_env import Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_env.observation.layout import parts_of
from ursuppe_env.rules.actions import FIRST_START, actions_for
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_lab.statistics import Interval
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.evaluation.evaluate import WAYS, Evaluation, MatchupResult
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.networks.initial_policy import changed_settings
from ursuppe_training.runs import evaluations as run_evaluations
from ursuppe_training.runs import run as runs
from ursuppe_training.runs.learners import _begin_from
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer

from support.policies import SMALL, random_policy
from support.training import TINY, are_equal, weights


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("initial") / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


def test_training_begins_from_the_weights_of_the_initial_policy_bit_by_bit(policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file)})
    initial = weights(load_policy(policy_file)[0])
    trainer = Trainer(config)
    assert are_equal(weights(trainer.policy), initial)
    trainer.run()
    assert not are_equal(weights(trainer.policy), initial)


def test_a_run_that_began_from_a_policy_is_restored_as_any_other(policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file)})
    saved = []
    whole = Trainer(config)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config)
    resumed.load_state_dict(saved[1])
    resumed.run()
    assert are_equal(weights(whole.policy), weights(resumed.policy))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (16,)}, r"of which layers is \(16, 8\); here it is \(16,\), and must be the same"),
        ({"critic_width": 9}, "of which critic_width is 8; here it is 9"),
        ({"observe_rules": True}, "of which observe_rules is False; here it is True"),
    ],
)
def test_an_initial_policy_with_another_network_is_refused(settings, message, policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file), **settings})
    with pytest.raises(ValueError, match=message):
        Trainer(config)


@pytest.mark.parametrize("players", [3, 5, 6])
@pytest.mark.parametrize("layers", [(16, 8), ()])
def test_a_policy_for_another_number_of_players_is_the_same_at_a_table_where_all_are_alike(players, layers, tmp_path):
    """Oneself is asked, and all seats have the same: then it does not matter how many they are."""
    settings = SMALL.changed({"layers": layers, "observe_rules": True})
    initial = random_policy(settings)
    for parameter in initial.parameters():
        parameter.copy_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    save_policy(initial, settings, tmp_path / "policy.zip")
    config = TINY.changed({**settings.model_dump(include={"layers", "critic_width", "observe_rules"})})
    config = config.changed(
        {"players": players, "initial_policy": str(tmp_path / "policy.zip"), "precision": "float32"}
    )
    scores, own_outcome, meals = _at_a_table_of_equals(load_policy(tmp_path / "policy.zip")[0], 4)
    carried_scores, carried_outcome, carried_meals = _at_a_table_of_equals(Trainer(config).policy, players)
    assert carried_scores == pytest.approx(scores, abs=1e-3)
    assert carried_outcome == pytest.approx(own_outcome, abs=1e-3)
    assert carried_meals.min() >= meals.min() - 1e-3
    assert carried_meals.max() <= meals.max() + 1e-3


def _at_a_table_of_equals(policy, players):
    """What the actor scores the actions that are the same for all numbers of players, and "carry" one's own; what the
    critic scores its own seat; and what the actor scores the meals.
    """
    generator = np.random.default_rng(0)
    parts = []
    for part, smaller in zip(parts_of(players), parts_of(3 if players > 3 else 6), strict=True):
        is_of_seats = part.shape != smaller.shape
        if is_of_seats and len(part.shape) == 1:  # such as whose turn it is
            parts.append(np.eye(players)[0] * generator.random())
        else:
            numbers = generator.random(part.size // players if is_of_seats else part.size)
            parts.append(np.tile(numbers, players) if is_of_seats else numbers)
    foreign, food, amoebas, foreign_viewed = generator.random(19), *generator.random((3, 19))
    parts += [foreign, np.tile(food, players), np.tile(amoebas, players), foreign_viewed]
    parts += [np.tile(generator.random(NUM_SEAT_FEATURES), players)]
    rules = num_inputs(players, True) - sum(map(len, parts))
    inputs = torch.from_numpy(np.concatenate([*parts, generator.random(rules)])).float()[np.newaxis]
    with torch.no_grad():
        scores = policy.action_net(policy.actor(inputs))[0].numpy()
        outcomes = policy.scores(inputs)[0].numpy()
    own_carry = actions_for(players).id("carry 0", 0)
    first_meal = FIRST_START + (3 + MAX_AMOEBAS) * players
    return [*scores[:FIRST_START], scores[own_carry]], outcomes[0], scores[first_meal:]


def test_an_initial_policy_that_is_not_there_is_refused_before_anything_is_written(tmp_path, capsys):
    options = ["--set", "initial_policy=no/such.zip", "--out", str(tmp_path / "run")]
    assert run_command(["train", "quick", *options]) == 2
    assert capsys.readouterr().err == "ursuppe: no/such.zip: No such file or directory\n"
    assert not (tmp_path / "run").exists()


def test_an_initial_policy_brings_its_network_and_no_teachers(policy_file):
    """Teachers with their whole weight make of a policy what they are."""
    config = read_config("standard")
    assert config.teachers
    begun = changed_settings(config, {"initial_policy": str(policy_file)})
    assert (begun.teachers, begun.layers, begun.critic_width, begun.observe_rules) == ((), (16, 8), 8, False)
    assert begun.opponents == config.opponents
    asked_for = {"initial_policy": str(policy_file), "teachers": ["hunter"], "layers": [4]}
    begun = changed_settings(config, asked_for)
    assert (begun.teachers, begun.layers) == (("hunter",), (4,))
    assert changed_settings(config, {"steps": 5}) == config.changed({"steps": 5})
    own = config.changed({"initial_policy": str(policy_file)})  # a config that has both
    assert changed_settings(own, {"steps": 5}).teachers == config.teachers


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_preset_finetune_goes_on_from_the_policies_of_the_package(players):
    config = read_config("finetune")
    begun = changed_settings(config, {"players": players})
    assert begun == config.changed({"players": players})  # has their network already
    assert (begun.initial_policy, begun.teachers, begun.learning_rate) == ("default", (), 2e-4)
    _begin_from(ActorCritic(begun), begun)


def test_no_run_ships_what_is_worse_than_it_began_with(policy_file, tmp_path, monkeypatch):
    initial = tmp_path / "initial.zip"
    save_policy(load_policy(policy_file)[0], SMALL, initial, temperature=0.5)
    shares = iter([0.9, 0.3, 0.8])

    def evaluate(model, pool, num_games, seed, *_, **__):
        share = next(shares)
        results = (MatchupResult("grow", way, 8, Interval(share, None, None), (share,) * 4) for way in WAYS)
        return Evaluation(seed, 0.25, tuple(results))

    for module in (runs, run_evaluations):
        monkeypatch.setattr(module, "evaluate_policy", evaluate)
    config = changed_settings(TINY, {"initial_policy": str(initial), "steps": 48, "envs": 4, "rollout": 12})
    folder, said = tmp_path / "run", []
    Run.begin(folder, config, said.append).train()
    assert (folder / "best.zip").read_bytes() == (folder / "policies" / "000000000000.zip").read_bytes()
    assert are_equal(weights(load_policy(folder / "best.zip")[0]), weights(load_policy(initial)[0]))
    assert read_temperature(folder / "best.zip") == 0.5
    assert [line.partition(",")[0] for line in said[:2]] == ["initial policy: grow 90%", said[1].partition(",")[0]]
    assert said[-1].endswith("the initial policy, than which no later one is better, on other dice: grow 80%")


def test_games_are_trained_with_a_changed_ruleset(tmp_path):
    file = tmp_path / "changed.toml"
    file.write_text("steps = 500\n[ruleset_changes]\nstart_bp = 9\n")
    config = read_config(str(file))
    assert config.ruleset == Ruleset(start_bp=9)
    groups = Trainer(TINY.changed({"ruleset_changes": {"start_bp": 9}})).self_play.groups
    assert {group.backend.to_games().ruleset for group in groups} == {config.ruleset}
    with pytest.raises(ValueError, match="beginning_bp"):
        TrainingConfig(ruleset_changes={"beginning_bp": 9})
