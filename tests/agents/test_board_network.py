"""The network that sees the board: what it is given, and that its whole numbers are nearly what torch computes."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.inputs import NOWHERE, SPACE_FEATURES, board_inputs
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.weights import Widths, weight_shapes, widths_of
from ursuppe_agents.policies.inputs import standardised_rules
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.actions import FIRST_SPACE
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.networks.board import BoardPolicy, board_tensors, log_probs_of_each

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

#: Of logits and scores in whole numbers; those of these networks have a standard deviation of about 1.
TOLERANCE = 0.01

TABLES = [
    *(([Ruleset(players=players, edition=edition)], None) for players in (3, 4, 5, 6) for edition in ("1998", "1997")),
    ([Ruleset()], Teams(DUEL)),
    ([Ruleset(players=6)], Teams(((0, 3), (1, 4), (2, 5)))),
    *((varied_rulesets(players, 16, seed=3), None) for players in (3, 4)),
]


def positions(rulesets, per_stage=48, seed=5):
    """Positions of random games from the set-up to the last rounds, in each of which a player decides."""
    stages = []
    for decisions in (0, 3, 40, 120, 250):
        games = Games(per_stage, rulesets, seed=seed + decisions, threads=1)
        games.play_random(decisions)
        stages.append(games.copy(~games.finished))
    return stages


def random_policy(widths=None, teams=None, seed=1):
    """All its layers count, the last ones too."""
    policy = BoardPolicy(widths or Widths(), teams=teams, generator=torch.Generator().manual_seed(seed))
    generator = np.random.default_rng(seed)
    policy.take(
        {
            name: array + generator.normal(0, 0.1, array.shape).astype(np.float32)
            for name, array in policy.weights().arrays.items()
        }
    )
    return policy


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_compiled_layers_compute_what_torch_does(rulesets, teams):
    policy = random_policy(teams=teams)
    network = BoardNetwork(policy.weights().arrays, teams)
    for games in positions(rulesets):
        legal, logits, scores = network.outputs(games)
        inputs = board_inputs(games, teams)
        for name in ("first", "actions", "player"):
            np.testing.assert_array_equal(getattr(legal, name), getattr(inputs, name))
        with torch.no_grad():
            by_torch = policy(board_tensors(inputs, standardised_rules(games.rulesets)))
        np.testing.assert_allclose(logits, by_torch[0].numpy(), atol=TOLERANCE, rtol=0)
        np.testing.assert_allclose(scores, by_torch[1].numpy(), atol=TOLERANCE, rtol=0)


def test_other_widths_compute_the_same_in_both():
    policy = random_policy(Widths(token=16, context=48, action=32, score=16, outcome=16))
    network = BoardNetwork(policy.weights().arrays)
    games = positions([Ruleset()])[3]
    logits = network.outputs(games)[1]
    with torch.no_grad():
        by_torch = policy(board_tensors(board_inputs(games), standardised_rules(games.rulesets)))[0]
    np.testing.assert_allclose(logits, by_torch.numpy(), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_nothing_depends_on_the_other_positions_of_a_batch(rulesets, teams):
    network = BoardNetwork(random_policy(teams=teams).weights().arrays, teams)
    games = positions(rulesets)[3]
    probabilities, chances = network.probabilities_and_chances(games)
    for row in range(0, len(games), 7):
        alone = network.probabilities_and_chances(games.copy([row]))
        np.testing.assert_array_equal(alone[0][0], probabilities[row])
        np.testing.assert_array_equal(alone[1][0], chances[row])


def test_nothing_depends_on_the_dice_to_come():
    games = positions([Ruleset()])[3]
    others = games.copy(reseed=77)
    for mine, theirs in zip(board_inputs(games), board_inputs(others), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_outputs_are_chances(rulesets, teams):
    network = BoardNetwork(random_policy(teams=teams).weights().arrays, teams)
    for games in positions(rulesets):
        probabilities, chances = network.probabilities_and_chances(games)
        np.testing.assert_array_equal(probabilities > 0, games.legal() > 0)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        if teams is not None:
            for seats in teams.seats:
                assert (chances[:, seats] == chances[:, seats[:1]]).all()


def test_seats_are_seen_from_the_one_that_decides():
    """Before anybody has done anything, the board looks the same to each of them, whatever the first card."""
    games = Games(16, Ruleset(players=5), seed=1, threads=1)
    inputs = board_inputs(games)
    assert len(set(inputs.player)) > 1
    spaces = np.delete(inputs.spaces, SPACE_FEATURES.index("own blocked"), axis=2)
    np.testing.assert_array_equal(spaces, np.broadcast_to(spaces[0], spaces.shape))


def test_placing_concerns_the_space_that_is_named():
    games = Games(64, seed=1, threads=1)
    games.play_random(5)
    games = games.copy(games.decision == Decision.PLACE)
    inputs = board_inputs(games)
    np.testing.assert_array_equal(inputs.space, inputs.actions - FIRST_SPACE)
    legal = inputs.spaces[:, :, SPACE_FEATURES.index("legal")]
    np.testing.assert_array_equal(legal, games.legal()[:, FIRST_SPACE : FIRST_SPACE + NUM_SPACES])


def test_off_the_board_is_nowhere():
    games = Games(4, seed=1, threads=1)
    assert (board_inputs(games).amoeba_space == NOWHERE).all()


def test_widths_are_read_from_the_weights():
    widths = Widths(token=16, context=32, action=48, score=64, outcome=80)
    weights = {name: np.zeros(shape, np.float32) for name, shape in weight_shapes(widths).items()}
    assert widths_of(weights) == widths


def test_log_probabilities_are_those_within_positions():
    policy = random_policy()
    games = positions([Ruleset()])[3]
    tensors = board_tensors(board_inputs(games), standardised_rules(games.rulesets))
    with torch.no_grad():
        log_probs = log_probs_of_each(policy(tensors)[0], tensors).numpy()
    probabilities = BoardNetwork(policy.weights().arrays).action_probabilities(games)
    rows = tensors.row.numpy()
    np.testing.assert_allclose(
        log_probs, np.log(probabilities[rows, tensors.inputs["actions"].numpy()]), atol=TOLERANCE, rtol=0
    )
