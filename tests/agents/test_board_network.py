"""The network that sees the board: what it is given, and that its whole numbers are nearly what torch computes."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.effects import MATES, OPPONENTS, OWN
from ursuppe_agents.policies.board.forward import ACTIVATION_BITS, SUM_BITS, WEIGHT_BITS
from ursuppe_agents.policies.board.inputs import NUM_RELATIONS, SPACE_FEATURES, board_inputs
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.rules import kept_moments, moments, standardised_rules
from ursuppe_agents.policies.board.weights import Widths
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_agents.search.value import features_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.actions import FIRST_SPACE
from ursuppe_env.rules.board import NEXT_TO, NOWHERE, NUM_SPACES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.networks.board import BoardPolicy, board_tensors, log_probs_of_each

#: Of logits and scores in whole numbers; those of these networks have a standard deviation of about 1.
TOLERANCE = 0.01

TABLES = [
    *(([Ruleset(players=players, edition="1998" if players % 2 else "1997")], None) for players in (3, 4, 5, 6)),
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


def random_policy(widths=Widths(), teams=None, seed=1):  # noqa: B008 (it is frozen)
    """All its layers count, the last ones too."""
    policy = BoardPolicy(widths, teams=teams, generator=torch.Generator().manual_seed(seed))
    generator = np.random.default_rng(seed)
    policy.take(
        {
            name: array + generator.normal(0, 0.1, array.shape).astype(np.float32)
            for name, array in policy.weights().arrays.items()
        }
    )
    return policy


def in_whole_numbers(weights, teams, inputs, rules):
    """(M,) logits and (n, P, 3) scores, by the layers of ``weights.py`` in NumPy's whole numbers."""
    players, positions = inputs.seats.shape[1], np.arange(len(inputs.current))

    def rounded(array, bits, most=2**15 - 1):
        return np.rint(array.astype(np.float64) * 2.0**bits).clip(-most, most).astype(np.int64)

    def features(array):  # what is half of a unit is rounded up, in float32
        scaled = (array * np.float32(2**ACTIVATION_BITS)).clip(-(2**15) + 1, 2**15 - 1)
        return (scaled + np.float32(2**15 + 0.5)).astype(np.int64) - 2**15

    def divided(sums, bits):
        return (sums + (1 << bits >> 1)) >> bits

    def activated(sums):
        return divided(sums, WEIGHT_BITS).clip(0, 2**ACTIVATION_BITS)

    matrix = {name: rounded(array, WEIGHT_BITS) for name, array in weights.items()}
    bias = {name: rounded(array, SUM_BITS, 2**30) for name, array in weights.items()}
    seats = activated(features(inputs.seats) @ matrix["seat"] + bias["seat_behind"][:players])
    sent = divided(seats @ matrix["space_relations"], ACTIVATION_BITS).reshape(
        len(positions), players * NUM_RELATIONS, -1
    )
    relations = features(inputs.relations).reshape(len(positions), NUM_SPACES, -1)
    spaces = activated(features(inputs.spaces) @ matrix["space"] + bias["space_bias"] + relations @ sent)
    arrives = (NEXT_TO[:NUM_SPACES].T[:, :, None] == np.arange(NUM_SPACES)).astype(np.int64)  # from, to
    beside = arrives[:4].sum(axis=0) * (1 - np.eye(NUM_SPACES, dtype=np.int64))
    flows = arrives[inputs.current]
    messages = np.concatenate([spaces, beside @ spaces, flows @ spaces, flows.swapaxes(1, 2) @ spaces], axis=2)
    answered = activated(messages @ matrix["message"] + bias["message_bias"])
    answered = np.concatenate([answered, np.zeros_like(answered[:, :1])], axis=1)

    of_amoebas = answered[positions[:, None, None], inputs.amoeba_space] @ matrix["amoeba_space"]
    owners = (seats @ matrix["amoeba_seat"] + bias["amoeba_bias"])[:, :, None]
    amoebas = activated(features(inputs.amoebas) @ matrix["amoeba"] + of_amoebas + owners)
    amoebas *= (inputs.amoeba_space != NOWHERE)[..., None]
    joint = np.concatenate([seats, divided(amoebas.sum(axis=2), 2)], axis=2)
    joint = activated(joint @ matrix["joint"] + bias["joint_bias"])
    groups = [(joint * (inputs.relation_of_seat == group)[:, :, None]).sum(axis=1) for group in range(3)]
    seen = [*groups, answered[positions, inputs.acting_space], divided(spaces.sum(axis=1), 3)]
    context = features(inputs.situation) @ matrix["situation"] + np.concatenate(seen, axis=1) @ matrix["context"]
    of_rules = rounded(rules, ACTIVATION_BITS, 2**30) @ rounded(weights["rules"], WEIGHT_BITS, 2**30)
    context = activated(context + (of_rules + bias["context_bias"])[inputs.ruleset])

    row = np.repeat(positions, np.diff(inputs.first))
    targets = (inputs.targets.astype(np.int64)[:, :, None] * joint[row]).sum(axis=1)
    meal = divided((4 * inputs.meal).astype(np.int64)[:, :, None] * joint[row], 2).sum(axis=1)
    numbers = features(np.concatenate([inputs.gene_numbers, inputs.effects], axis=1))
    about = np.concatenate([answered[row, inputs.space], targets, meal, numbers], axis=1)
    looked_up = bias["verb"][inputs.verb] + bias["item"][inputs.item]
    action = activated(about @ matrix["action"] + (context @ matrix["action_context"])[row] + looked_up)
    logits = activated(action @ matrix["score"] + bias["score_bias"]) @ matrix["logit"]
    of_context = (context @ matrix["outcome_context"] + bias["outcome_bias"])[:, None]
    outcome = activated(joint @ matrix["outcome_seat"] + of_context)
    scores = outcome @ matrix["outcome"].T + bias["outcome_last_bias"]
    if teams is not None:
        seats = teams.team_of[(inputs.player[:, None] + np.arange(players)) % players]
        mates = (seats[:, :, None] == seats[:, None]).astype(np.int64)
        scores = mates @ scores // mates.sum(axis=2, keepdims=True)
    return logits, scores


@pytest.mark.parametrize(
    ("rulesets", "teams", "widths"),
    [
        *((*table, Widths()) for table in TABLES),
        ([Ruleset()], None, Widths(token=16, context=48, action=32, score=16, outcome=16)),
    ],
)
def test_layers_compute_in_whole_numbers_nearly_what_torch_does(rulesets, teams, widths):
    policy = random_policy(widths, teams)
    network, weights = BoardNetwork(policy.weights()), policy.weights().arrays
    for games in positions(rulesets):
        first, actions, logits, scores = network.outputs(games)
        inputs, rules = board_inputs(games, teams), standardised_rules(games.rulesets)
        for found, wanted in ((first, inputs.first), (actions, inputs.actions)):
            np.testing.assert_array_equal(found, wanted)
        for found, whole in zip((logits, scores), in_whole_numbers(weights, teams, inputs, rules), strict=True):
            np.testing.assert_array_equal(found, (whole * 2.0**-SUM_BITS).astype(np.float32))
        with torch.no_grad():
            by_torch = policy(board_tensors(inputs, rules))
        np.testing.assert_allclose(logits, by_torch[0].numpy(), atol=TOLERANCE, rtol=0)
        np.testing.assert_allclose(scores, by_torch[1].numpy(), atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_nothing_depends_on_the_other_positions_of_a_batch(rulesets, teams):
    network = BoardNetwork(random_policy(teams=teams).weights())
    games = positions(rulesets)[3]
    rows, first = np.arange(len(games)), np.zeros(1, np.int64)
    probabilities, chances = network.action_probabilities(games, rows), network.chances(games, rows)
    for row in range(0, len(games), 7):
        alone = games.copy([row])
        np.testing.assert_array_equal(network.action_probabilities(alone, first)[0], probabilities[row])
        np.testing.assert_array_equal(network.chances(alone, first)[0], chances[row])


def test_nothing_depends_on_the_dice_to_come():
    games = positions([Ruleset()])[3]
    others = games.copy(reseed=77)
    for mine, theirs in zip(board_inputs(games), board_inputs(others), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_outputs_are_chances(rulesets, teams):
    network = BoardNetwork(random_policy(teams=teams).weights())
    for games in positions(rulesets):
        rows = np.arange(len(games))
        probabilities, chances = network.action_probabilities(games, rows), network.chances(games, rows)
        np.testing.assert_array_equal(probabilities > 0, games.legal() > 0)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        if teams is not None:
            for seats in teams.seats:
                assert (chances[:, seats] == chances[:, seats[:1]]).all()


@pytest.mark.parametrize(("rulesets", "teams"), TABLES)
def test_effects_are_how_features_change_up_to_the_next_decision_or_chance_event(rulesets, teams):
    """They are computed anew for those alone whom an action concerns."""
    for games in positions(rulesets):
        inputs, before = board_inputs(games, teams), features_of(games)[0]
        rows = np.repeat(np.arange(len(games)), np.diff(inputs.first))
        after = Games.from_state(games.state[rows], games.rulesets, explicit_chance=True)
        after.step(inputs.actions)
        changes = (features_of(after)[0] - before[rows]).clip(-4, 4).astype(np.float32)
        me, team_of = inputs.player[rows], np.arange(games.num_players) if teams is None else teams.team_of
        effects = np.zeros((len(rows), 3, changes.shape[2]), np.float32)
        for player in range(games.num_players):
            is_mate = team_of[me] == team_of[player]
            group = np.where(me == player, OWN, np.where(is_mate, MATES, OPPONENTS))
            effects[np.arange(len(rows)), group] += changes[:, player]
        np.testing.assert_array_equal(inputs.effects[:, :-3], effects.reshape(len(rows), -1))
        decides_again, wins, loses = inputs.effects[:, -3:].T
        np.testing.assert_array_equal(decides_again, after.player == me)
        np.testing.assert_array_equal(
            wins - loses, after.finished * np.where(team_of[after.winner] == team_of[me], 1, -1)
        )


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


def test_log_probabilities_are_those_within_positions():
    policy = random_policy()
    games = positions([Ruleset()])[3]
    tensors = board_tensors(board_inputs(games), standardised_rules(games.rulesets))
    with torch.no_grad():
        log_probs = log_probs_of_each(policy(tensors)[0], tensors).numpy()
    probabilities = BoardNetwork(policy.weights()).action_probabilities(games, np.arange(len(games)))
    rows = tensors.row.numpy()
    np.testing.assert_allclose(
        log_probs, np.log(probabilities[rows, tensors.inputs["actions"].numpy()]), atol=TOLERANCE, rtol=0
    )


def test_the_ruleset_is_standardised_and_what_never_varies_left_out():
    seen = standardised_rules(tuple(varied_rulesets(4, 500, seed=1)))
    assert seen.shape[1] < Games(1).observation_size_with_rules - Games(1).observation_size
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=0.3)
    deviations = seen.std(axis=0)
    assert deviations.max() < 1.5
    assert np.median(deviations) == pytest.approx(1, abs=0.05)
    assert len(np.unique(seen, axis=1).T) == seen.shape[1]  # no number twice
    cheap, dear = standardised_rules((Ruleset(), Ruleset(price={"speed": 9})))
    assert np.flatnonzero(cheap != dear).size == 1
    assert dear.max() > cheap.max()


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_moments_that_standardise_rulesets_are_those_of_rulesets_of_training(players):
    np.testing.assert_array_equal(
        kept_moments()[players - 3], moments(players), "run: python -m ursuppe_agents.policies.board.rules"
    )


def test_it_is_the_policy_as_it_was():
    policy = random_policy()
    network, games = BoardNetwork(policy.weights()), positions([Ruleset()])[3]
    before = network.action_probabilities(games, np.arange(len(games)))
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.mul_(2)
    np.testing.assert_array_equal(network.action_probabilities(games, np.arange(len(games))), before)
