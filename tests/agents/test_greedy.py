"""The value function and the agent that looks one step ahead."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given

from ursuppe_agents.search.greedy import GreedyAgent
from ursuppe_agents.search.value import FEATURES, features_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.opponents import play_others

from support.positions import Position, choice, position
from support.rulesets import SEEDS, examples, rulesets

AGENT = GreedyAgent(np.random.default_rng(0))


def test_it_plays_the_same_in_two_threads_at_a_time():
    def played(seed: int) -> bytes:
        games = Games(64, seed=seed)
        for _ in range(100):
            rows = np.flatnonzero(games.player >= 0)
            games.step(AGENT.act(games, rows), rows)
        return games.state.tobytes()

    with ThreadPoolExecutor(2) as workers:
        assert list(workers.map(played, (1, 2))) == [played(1), played(2)]


def seen(position: Position, feature: str) -> list[float]:
    """A feature of each player."""
    return features_of(position.games)[0][0, :, FEATURES.index(feature)].tolist()


def test_places_to_come_are_those_of_amoebas_and_gene_points_times_the_rounds_left():
    game = position(
        phase=3,
        round=9,
        amoebas={f"0.{n}": n for n in range(1, 6)} | {"1.1": 8, "2.1": 8, "3.1": 8},
        genes={0: ["speed", "tentacle", "endurance"]},
        bp=dict.fromkeys(range(4), 0),
        markers=(10, 11, 12, 13),
    )
    _, rounds_left = features_of(game.games)
    assert rounds_left.tolist() == [2 - 3 / 6]  # this round and the tenth; three of the six phases are over
    assert seen(game, "projected") == [pytest.approx((4 + 2) * 2 / 10), 0, 0, 0]
    assert seen(game, "gene points") == [4, 0, 0, 0]
    assert seen(game, "divisions") == [1, 1, 1, 1]  # 10 BP of income are one division
    assert seen(game, "growth") == [pytest.approx(1 * 2 / 10), 0, 0, 0]  # from 5 amoebas to 6; from 1 to 2 is nothing


def test_a_leader_near_the_end_zone_ends_the_game_in_this_round():
    game = position(phase=1, round=3, amoebas={f"3.{n}": n for n in range(1, 6)}, markers=(1, 2, 3, 40))
    assert features_of(game.games)[1].tolist() == [1.0]


def test_amoebas_are_doomed_wounded_or_well():
    game = position(
        phase=3,
        card=("none", 14),
        amoebas={"0.1": 1, "0.2": 3, "0.3": 5, "1.1": 1, "1.2": 3},
        damage={"0.1": 2, "0.2": 1, "1.1": 2},
        genes={1: ["life_expectancy"]},
        food={3: (0, 1, 1, 1), 5: (9, 9, 9, 0)},
        bp=dict.fromkeys(range(4), 0),
    )
    assert seen(game, "doomed")[:2] == [1, 0]
    assert seen(game, "wounded")[:2] == [1, 1]  # Life Expectancy: one more DP
    assert seen(game, "amoebas")[:2] == [2, 2]
    assert seen(game, "in peril")[0] == 0  # there is a meal in space 3
    assert seen(game, "hungry")[0] == 1  # in space 5 a colour is missing, and no BP to move
    assert seen(game, "company")[:2] == [1, 2]


def test_what_each_meal_gene_makes_of_a_space_is_seen():
    food = {1: (0, 1, 1, 1), 2: (0, 2, 2, 0), 3: (0, 1, 1, 0), 4: (0, 0, 3, 0)}
    for genes, meals in (([], 1), (["substitution"], 2), (["frugality"], 3), (["substitution", "frugality"], 4)):
        game = position(phase=3, amoebas={"0.1": 9}, genes={0: genes}, food=food)
        assert seen(game, "pastures")[0] == pytest.approx(meals / 19), genes


def test_debts_are_expected_over_the_cards_that_are_left():
    game = position(phase=3, amoebas={"0.1": 1}, genes={0: ["speed", "tentacle", "holding"]})  # 3 + 4 + 4 MP
    left = (10, 13, 14)  # 10 is on three cards
    cards = enumerate(game.games.ruleset.environment)
    game._game["drawn"] = sum(1 << number for number, (_, ozone) in cards if ozone not in left)
    assert seen(game, "expected debt") == [pytest.approx((3 * 1 + 0 + 0) / 5), 0, 0, 0]


def test_what_is_owed_now_counts_as_spent_and_beyond_the_bp_as_debt():
    game = position(phase=2, round=2, amoebas={"0.1": 1}, genes={0: ["speed", "tentacle", "holding"]}, bp={0: 1})
    assert game.asks == "card"
    game.turn_up("west", 9)
    assert game.asks == ("defect", 0)
    assert seen(game, "debt") == [1, 0, 0, 0]  # 11 MP, ozone 9: 2 owed, 1 in hand
    assert seen(game, "bp")[0] == pytest.approx(10 / 10)  # the income that is still to come


def test_the_end_of_the_game_is_certain():
    game = position(phase=4, round=10, amoebas={"0.1": 1}, markers=(9, 1, 2, 3), bp=dict.fromkeys(range(4), 0))
    assert game.asks == ("divide", 0)  # the leader, and the only one with an amoeba to divide: 10 BP of income
    game.act("pass")
    while isinstance(game.asks, tuple) and game.games.state["turn"][0] < 4:
        game.act("pass")
    values = AGENT.action_values(game.games, np.zeros(1, np.int64))
    last = int(game.games.player[0])
    assert values[0, game.games.actions.id("pass", last)] == 0  # player 0 has won


def test_a_hungry_amoeba_drifts_to_its_meal():
    game = position(
        card=("east", 10),
        amoebas={"0.1": 3, "1.1": 16, "2.1": 16, "3.1": 16},
        damage={"0.1": 1},
        food={4: (0, 1, 1, 1)},
    )
    assert game.asks == ("move", 0)
    assert choice(game, AGENT) == "drift"


def test_an_amoeba_that_would_starve_to_death_walks_to_its_meal():
    game = position(
        card=("west", 12),
        amoebas={"0.1": 3, "0.2": 19, "0.3": 16, "1.1": 16},
        damage={"0.1": 1},
        genes={0: ["movement_2", "streamlining"]},
        food={space: (2, 2, 2, 2) for space in range(1, 20) if space not in (2, 3)},  # none where it is or would drift
    )
    assert game.asks == ("move", 0)
    assert choice(game, AGENT) == "move"
    game.act("move")
    assert choice(game, AGENT) in {"north", "east", "south"}


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_one_greedy_beats_random_players(players: int):
    games = Games(30, Ruleset(players=players), seed=1)
    seat = np.arange(30) % players
    play_others(games, seat)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(AGENT.act(games, rows), rows)
        play_others(games, seat)
    assert (games.winner == seat).mean() > 0.8


@examples(25)
@given(rulesets(), SEEDS)
def test_greedy_is_legal_in_every_ruleset_and_changes_nothing(ruleset: Ruleset, seed: int):
    games = Games(3, ruleset, seed=seed)
    games.play_random(seed % 40)
    for _ in range(10):
        rows = np.flatnonzero(games.player >= 0)
        before = games.state.copy()
        actions = AGENT.act(games, rows)
        assert games.state.tobytes() == before.tobytes()
        games.step(actions, rows)  # raises if illegal


def test_the_same_position_gets_the_same_action_whatever_the_batch_and_the_streams():
    games = Games(16, seed=8)
    games.play_random(50)
    actions = AGENT.act(games, np.arange(16))
    assert AGENT.act(games, np.array([5, 2])).tolist() == actions[[5, 2]].tolist()
    assert AGENT.act(games.copy(reseed=1), np.arange(16)).tolist() == actions.tolist()
