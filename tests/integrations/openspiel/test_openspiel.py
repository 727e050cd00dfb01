"""Ursuppe as a game of OpenSpiel: OpenSpiel's own checks, its algorithms, and the same games as ``Games``."""

import copy
import json
import pickle

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.nash_averaging import nash_averaging
from open_spiel.python.bots import uniform_random
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

import ursuppe_env.envs.open_spiel
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rewards import REWARDS
from ursuppe_env.teams import Teams
from ursuppe_lab.arena.equilibrium import equilibrium

# Everybody owns all that makes turns long, and many rounds of it.
LONG = {
    "end_zone": 250,
    "income": 99,
    "start_bp": 99,
    "move_cost": 0,
    "attack_cost": 0,
    "defense_cost": 0,
    "cards": dict.fromkeys(("holding", "tentacle", "speed", "endurance", "defense", "escape", "aggression"), 6),
    "price": dict.fromkeys(("holding", "tentacle", "speed", "endurance", "defense", "escape", "aggression"), 0),
}


def load(players=4, edition=1998, changes=None, reward="win"):
    parameters = {"players": players, "edition": edition, "ruleset": json.dumps(changes or {}), "reward": reward}
    return pyspiel.load_game("ursuppe", parameters)


def play(state, choices, decisions=10**9):
    """Go on at random, until the end or for so many decisions; yields each state before its action, and that."""
    while not state.is_terminal() and decisions > 0:
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            action = int(choices.choice(outcomes, p=probabilities))
        else:
            action = int(choices.choice(state.legal_actions()))
            decisions -= 1
        yield state, action
        state.apply_action(action)


def played(game, decisions, seed=0):
    state = game.new_initial_state()
    for _ in play(state, np.random.default_rng(seed), decisions):
        pass
    return state


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_the_page_run(examples, number):
    assert len(examples) == 3
    exec(examples[number], {})


DUEL = {"teams": "0+2;1+3"}


@pytest.mark.parametrize(
    ("parameters", "players"),
    [
        ({}, 4),
        ({"players": 3, "edition": 1997, "reward": "margin"}, 3),
        ({"players": 5, "ruleset": json.dumps(LONG), "reward": "rank"}, 5),
        ({"players": 6, "edition": 1997, "ruleset": '{"end_zone": 5}'}, 6),
        (DUEL, 2),
        ({"players": 6, "teams": "0+5;1+4;2+3", "score": "sum", "reward": "margin"}, 3),
        ({"players": 3, "teams": "2;0+1", "score": "best", "reward": "rank"}, 2),
    ],
)
def test_the_checks_of_open_spiel(parameters, players):
    # Among them: sorted and unique actions, clones, histories, serialization, observations, the sum and the bounds of
    # the returns, the greatest length. Undoing is not: OpenSpiel has it for games in C++ alone.
    game = pyspiel.load_game("ursuppe", parameters)
    assert game.num_players() == players
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    again = pyspiel.load_game(str(game))
    assert (again.teams, str(again)) == (game.teams, str(game))


@pytest.mark.parametrize("reward", REWARDS)
def test_it_plays_the_games_of_games(reward):
    ruleset = Ruleset(players=3, edition="1997", income=12)
    game = load(3, 1997, {"income": 12}, reward)
    games = Games(1, ruleset, seed=9, explicit_chance=True)
    state = game.new_initial_state()
    choices = np.random.default_rng(2)
    while not games.finished[0]:
        np.testing.assert_array_equal(state.games.markers, games.markers)
        if games.player[0] == -2:
            assert state.current_player() == pyspiel.PlayerId.CHANCE
            event, possible = games.chance(0)
            outcomes = {state.action_to_string(outcome): outcome for outcome, _ in state.chance_outcomes()}
            assert list(outcomes) == [f"{event} {words(value)}" for value, _ in possible]
            assert [p for _, p in state.chance_outcomes()] == [p for _, p in possible]
            (value,) = games.draw()
            state.apply_action(outcomes[f"{event} {words(value)}"])
        else:
            player, legal = games.player[0], np.flatnonzero(games.legal()[0])
            assert state.current_player() == player
            assert state.legal_actions() == legal.tolist()
            for seat in range(3):
                np.testing.assert_array_equal(state.observation_tensor(seat), games.observe(seat)[0])
            action = int(choices.choice(legal))
            assert state.action_to_string(player, action) == games.actions.text(action, player)
            games.step([action])
            state.apply_action(action)
    assert state.is_terminal()
    expected = ursuppe_env.envs.rewards.final_rewards(reward, games.markers[0], ruleset)
    np.testing.assert_allclose(state.returns(), expected, rtol=1e-6)
    assert state.returns() == state.rewards()


def words(value):
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def test_equal_cards_are_one_outcome():
    game = load(changes={"environment": [["west", 6], ["west", 6], ["none", 9], ["west", 6]]})
    state = game.new_initial_state()
    assert dict(state.chance_outcomes()) == {0: 0.75, 1: 0.25}
    state.apply_action(0)
    while state.action_to_string(state.legal_actions()[0])[:4] != "card":
        state.apply_action(state.legal_actions()[0])
    assert dict(state.chance_outcomes()) == pytest.approx({0: 2 / 3, 1: 1 / 3})


def test_the_name_of_a_game_loads_it_again():
    changes = {"income": 12, "price": {"speed": 5, "spores": 1}, "amoeba_places": [0, 0, 0, 1, 2, 4, 5, 9]}
    game = load(3, 1997, changes, "rank")
    assert game.ruleset == Ruleset(players=3, edition="1997", **changes)
    again = pyspiel.load_game(str(game))
    assert (again.ruleset, again.reward, str(again)) == (game.ruleset, "rank", str(game))
    pickled = pickle.loads(pickle.dumps(game))
    assert (pickled.ruleset, str(pickled)) == (game.ruleset, str(game))
    assert str(pickled.new_initial_state()) == str(game.new_initial_state())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"players": 7}, "players is 7; it must be an integer from 3 to 6"),
        ({"edition": 2000}, "edition is '2000'; it must be '1998' or '1997'"),
        ({"reward": "points"}, "reward is 'points'"),
        ({"ruleset": "income=12"}, "ruleset is 'income=12'; it must be JSON, such as"),
        ({"ruleset": "[" * 100_000}, "it must be JSON, such as"),
        ({"ruleset": '{"incme": 12}'}, "no field 'incme'; did you mean income"),
        ({"teams": "0+2"}, "there must be at least 2 teams"),
        ({"teams": "0+2;1"}, "there are 4 players"),
        ({"teams": "a;b"}, "teams is 'a,b'; it must be the seats of each team"),
        ({"score": "sum"}, "there are no teams"),
        ({"teams": "0+2;1+3", "score": "mean"}, "score is 'mean'"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game("ursuppe", parameters)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [3, 6])
def test_the_returns_keep_within_their_bounds_and_sum_to_zero(players, reward):
    game = load(players, reward=reward)
    returns = np.array([played(game, 10**9, seed).returns() for seed in range(3)])
    assert game.min_utility() <= returns.min() < 0 < returns.max() <= game.max_utility()
    np.testing.assert_allclose(returns.sum(axis=1), 0, atol=1e-12)
    if reward != "margin":
        assert returns.max() == game.max_utility()


def test_no_game_is_longer_than_declared():
    for changes in ({}, LONG):
        game = load(6, 1997, changes)
        state = played(game, 10**9)
        decisions = sum(action.player >= 0 for action in state.full_history())
        assert 100 < decisions < game.max_game_length()
        assert len(state.history()) - decisions < game.max_chance_nodes_in_history()


def test_a_team_acts_and_sees_as_the_colour_that_decides():
    game, teams = pyspiel.load_game("ursuppe", DUEL), Teams(((0, 2), (1, 3)))
    for state, action in play(game.new_initial_state(), np.random.default_rng(3)):
        seat = int(state.games.player[0])
        if seat < 0:
            continue
        team = int(teams.team_of[seat])
        assert (state.current_player(), state.seat(team), state.seat(1 - team)) == (team, seat, 1 - team)
        assert state.legal_actions(team) == np.flatnonzero(state.games.legal()[0]).tolist()
        assert state.legal_actions(1 - team) == []
        assert state.action_to_string(team, action) == state.games.actions.text(action, seat)
        np.testing.assert_array_equal(state.observation_tensor(team), state.games.observe(seat)[0])
        np.testing.assert_array_equal(state.observation_tensor(1 - team), state.games.observe(1 - team)[0])
    winner = int(state.games.team_winner(((0, 2), (1, 3)))[0])
    assert state.returns() == [1 - 2 * winner, 2 * winner - 1]


@pytest.mark.parametrize(
    "duplicate", [lambda state: state.clone(), copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
)
def test_a_copy_goes_on_without_the_original(duplicate):
    state = played(load(), 60)
    before, history = str(state), state.history()
    twin = duplicate(state)
    assert (str(twin), twin.history()) == (before, history)
    for _ in play(twin, np.random.default_rng(5), 40):
        pass
    assert (str(state), state.history()) == (before, history)
    assert str(twin) != before
    for action in twin.history()[len(history) :]:
        state.apply_action(action)
    assert (str(state), state.history()) == (str(twin), twin.history())


def test_a_clone_copies_no_game_before_it_goes_on():
    state = played(load(), 60)
    clone = state.clone()
    assert clone.games is state.games
    clone.apply_action(clone.legal_actions()[0])
    assert clone.games is not state.games


def test_what_is_no_action_is_refused_and_nothing_is_changed():
    state = load().new_initial_state()
    with pytest.raises(ValueError, match=r"chance outcome is 99; it must be 0 \.\.\. 9"):
        state.apply_action(99)
    state = played(load(), 60)
    before, history = str(state), state.history()
    illegal = next(action for action in range(151) if action not in state.legal_actions())
    with pytest.raises(ValueError, match="is not legal in decision"):
        state.apply_action(illegal)
    assert (str(state), state.history()) == (before, history)


def test_observers():
    game = load(5)
    state = played(game, 80)
    observation = make_observation(game)
    for player in range(5):
        observation.set_from(state, player)
        np.testing.assert_array_equal(observation.tensor, state.games.observe(player)[0])
        bp = np.roll(state.games.state["bp"][0, :5], -player) / 10
        np.testing.assert_allclose(observation.dict["bp"], bp, rtol=1e-6)
        assert json.loads(observation.string_from(state, player)) == state.games.to_dict(0)
    assert make_observation(game, INFO_STATE_OBS_TYPE).string_from(state, 0) == state.history_str()
    assert game.observation_tensor_shape() == [673]
    with pytest.raises(ValueError, match=r"an observer's params are \{'size': 3\}; there are none"):
        make_observation(game, params={"size": 3})


def test_the_search_beats_random_players_in_games_of_one_round():
    game = load(3, changes={"environment": [["west", 6], ["none", 9]]})
    for seed in range(4):
        random = np.random.RandomState(seed)
        evaluator = mcts.RandomRolloutEvaluator(1, random)
        bots = [mcts.MCTSBot(game, 1.4, 40, evaluator, random_state=random)]
        bots += [uniform_random.UniformRandomBot(player, random) for player in (1, 2)]
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choice(outcomes, p=probabilities))
            else:
                state.apply_action(bots[state.current_player()].step(state))
        assert state.returns()[0] == 1


def test_the_environment_for_learning_asks_the_players_in_turn():
    env = rl_environment.Environment("ursuppe", players=3, reward="rank", enable_legality_check=True)
    env.seed(4)
    choices = np.random.default_rng(1)
    now = env.reset()
    assert env.observation_spec()["info_state"] == (471,)
    asked = set()
    while not now.last():
        player = now.observations["current_player"]
        assert [bool(legal) for legal in now.observations["legal_actions"]] == [seat == player for seat in range(3)]
        asked.add(player)
        now = env.step([choices.choice(now.observations["legal_actions"][player])])
    assert asked == {0, 1, 2}
    assert sorted(now.rewards) == [-1, 0, 1]


@pytest.mark.parametrize("copies", [1, 2])
def test_nash_averaging_is_that_of_open_spiel(copies):
    """A cycle of three, and somebody who loses to all of them; copies have many equilibria."""
    wins = [[0.0, -0.2, 0.6, 0.3], [0.2, 0.0, -0.3, 0.5], [-0.6, 0.3, 0.0, 0.1], [-0.3, -0.5, -0.1, 0.0]]
    margins = np.kron(wins, np.ones((copies, copies)))
    theirs, _ = nash_averaging(pyspiel.create_matrix_game(margins, -margins))
    np.testing.assert_allclose(equilibrium(margins), theirs.ravel(), atol=1e-4)
