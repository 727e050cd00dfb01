"""What comes out of a policy's network for games, in compiled code."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.inputs import InputsView
from ursuppe_agents.policies.network import Network
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_agents.policies.weights import WIN
from ursuppe_env import Games, Ruleset
from ursuppe_training.config import TrainingConfig

from support.policies import SMALL, random_policy

NETWORKS = {
    "two layers": {"layers": (40, 24)},
    "no layers": {"layers": ()},
    "one layer of an odd width": {"layers": (13,), "critic_width": 11},
    "sees the rules": {"observe_rules": True},
    "sees the rules, no layers": {"observe_rules": True, "layers": ()},
    "three players": {"players": 3},
    "six players in three teams": {"players": 6, "teams": "0+3,1+4,2+5"},
}


def games_of(config: TrainingConfig, num_games: int = 40) -> Games:
    """Games of several rulesets, in their middle, where somebody is about to act."""
    rulesets = [Ruleset(players=config.players), *varied_rulesets(config.players, 3, seed=2**40)]
    games = Games(num_games, rulesets, seed=7)
    games.play_random(80)
    return games.copy(np.flatnonzero(~games.finished))


@pytest.mark.parametrize("changes", NETWORKS.values(), ids=NETWORKS.keys())
def test_it_computes_what_torch_does(changes):
    config = SMALL.changed(changes)
    policy, games = random_policy(seed=3, config=config), games_of(config)
    priors, chances = Network(policy.weights()).probabilities_and_chances(games)
    with torch.no_grad():
        inputs = torch.from_numpy(InputsView(config.observe_rules).of(games))
        logits = policy.action_net(policy.actor(inputs)).double()
        is_legal = torch.from_numpy(games.legal()).bool()
        expected = torch.where(is_legal, logits, -torch.inf).softmax(dim=1)
        of_seats = policy.scores(inputs)[:, :, WIN].double().softmax(dim=1).numpy()
    np.testing.assert_allclose(priors, expected, atol=1e-5)
    for row, player in enumerate(games.player):
        np.testing.assert_allclose(chances[row], np.roll(of_seats[row], player), atol=1e-5)


@pytest.mark.parametrize("changes", NETWORKS.values(), ids=NETWORKS.keys())
def test_what_comes_out_for_a_game_does_not_depend_on_the_others(changes):
    config = SMALL.changed(changes)
    network, games = Network(random_policy(seed=4, config=config).weights()), games_of(config)
    together = network.probabilities_and_chances(games)
    for row in range(len(games)):
        state = games.state[[row]]
        state["ruleset"] = 0
        alone = Games.from_state(state, games.ruleset_of(row))
        for of_all, of_one in zip(together, network.probabilities_and_chances(alone), strict=True):
            np.testing.assert_array_equal(of_all[row], of_one[0])
    np.testing.assert_array_equal(network.action_probabilities(games), together[0])


def test_it_is_the_policy_as_it_was():
    policy = random_policy(seed=5)
    network, games = Network(policy.weights()), games_of(SMALL)
    before = network.action_probabilities(games)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.mul_(2)
    np.testing.assert_array_equal(network.action_probabilities(games), before)
