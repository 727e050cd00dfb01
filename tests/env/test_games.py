"""Games: the batch, its determinism, copies, explicit chance, and what wrong input gets."""

import re
import subprocess
import sys

import numpy as np
import pytest

from ursuppe_env import Decision, Games, Ruleset

RICH = Ruleset(players=5, start_bp=40, income=30, cards=dict.fromkeys(["tentacle", "holding", "speed", "escape"], 6))


def same(a: Games, b: Games, rows_a=slice(None), rows_b=slice(None)) -> bool:
    return bool((a.state[rows_a] == b.state[rows_b]).all())


def test_shapes_and_types():
    games = Games(5, Ruleset(players=4), seed=3)
    assert len(games) == 5
    assert games.num_actions == 151
    assert games.observation_size <= 700
    assert games.player.dtype == np.int8
    assert games.decision.tolist() == [Decision.START_PLACE] * 5
    assert games.markers.shape == (5, 4)
    assert games.legal().shape == (5, 151)
    assert games.legal().dtype == np.int8
    assert games.observe().shape == (5, games.observation_size)
    assert games.observe().dtype == np.float32
    assert games.state["bp"].shape == (5, 6)
    assert games.state.dtype.itemsize < 700


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_every_game_ends_and_then_stays(players: int):
    games = Games(20, Ruleset(players=players), seed=1)
    seen = games.observe(seat=0)
    made = games.play_random()
    assert (made > 50).all()
    assert games.finished.all()
    assert (games.decision == -1).all()
    assert not games.legal().any()
    assert not games.observe().any()
    assert (games.observe(seat=0) != seen).any()
    assert all(len(set(row)) == players for row in games.markers.tolist())
    before = games.copy()
    games.step(np.full(20, -1))
    assert (games.step_random() == -1).all()
    assert (games.play_random(10) == 0).all()
    assert same(games, before)


def test_an_illegal_action_is_found_in_every_slice():
    games = Games(4096, seed=1, threads=2)
    before = games.copy()
    for rows in ([17], [4000], [1, 3000]):
        actions = np.full(4096, 83)
        actions[rows] = 0
        with pytest.raises(ValueError, match=f"game {rows[0]}: action 0 "):
            games.step(actions)
    assert same(games, before)


def test_threads_work_in_a_forked_process_too():
    code = """
import os
from ursuppe_env import Games
games = Games(4096, threads=2)
child = os.fork()
games.step_random()
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_reset_plays_the_next_episode_and_a_seed_begins_anew_whatever_was_played_before():
    games, first, second = (Games(6, seed=9) for _ in range(3))
    second.reset()
    assert not same(second, first)
    assert second.state["episode"].tolist() == [1] * 6
    games.play_random(500, restart=True)
    games = games.copy(reseed=3)
    games.play_random(17)
    games.reset(seed=9)
    assert same(games, first)
    games.reset()
    assert same(games, second)
    games.reset(seed=9)
    games.reset(mask=np.arange(6) < 2, seed=10)
    assert same(games, Games(6, seed=10), slice(2), slice(2))
    assert same(games, first, slice(2, None), slice(2, None))


@pytest.mark.parametrize("explicit_chance", [False, True])
def test_restart_is_reset(explicit_chance: bool):
    """Fused play with restarts goes through the same games as play and reset by hand, whatever chance is pending."""
    fused, by_hand = (Games(1, seed=2, explicit_chance=explicit_chance) for _ in range(2))
    assert fused.play_random(1000, restart=True).tolist() == [1000]
    for _ in range(1000):
        if by_hand.finished[0]:
            by_hand.reset()
        by_hand.play_random(1)
    assert fused.state["episode"][0] > 0
    assert same(fused, by_hand)


@pytest.mark.parametrize("stops", [{}, {"explicit_chance": True}, {"pause_after_rounds": True}])
def test_random_play_until_a_player_decides_is_the_random_steps_of_the_others(stops):
    """It stops where a step would, too: at chance events and pauses, if the games do."""
    until = np.random.default_rng(0).random((20, RICH.players)) < 0.4
    fused, by_hand = (Games(20, RICH, seed=4, **stops) for _ in range(2))
    for _ in range(80):
        made, steps = fused.play_random(until=until), np.zeros(20, int)
        while (others := (by_hand.player >= 0) & ~until[np.arange(20), by_hand.player]).any():
            by_hand.step_random(np.flatnonzero(others))
            steps += others
        np.testing.assert_array_equal(made, steps)
        assert same(fused, by_hand)
        for games in (fused, by_hand):
            games.step_random()
            games.draw()
            games.resume()
    assert fused.rounds.max() > 2
    assert Games(20, RICH).play_random(1, until=until).max() == 1
    assert not Games(20, RICH).play_random(until=np.ones_like(until)).any()


def test_a_reseeded_copy_has_a_future_of_its_own():
    """It depends on the seed and its row alone, not on the streams of the game it was copied from."""
    games = Games(2, RICH, seed=3)
    games.play_random(100)
    elsewhere = games.copy()
    elsewhere._states["key"] += np.uint64(1)
    elsewhere._states["draws"] += np.uint32(5)
    copies = games.copy([0] * 50, reseed=1)
    again = elsewhere.copy([0] * 50, reseed=1)
    other = games.copy([0] * 50, reseed=2)
    positions = ("food", "bp", "legal", "amoeba_space")
    assert all((copies.state[name] == games.state[name][0]).all() for name in positions)
    for each in (games, copies, again, other):
        each.play_random()
    assert same(copies, again)
    assert len({tuple(row) for row in copies.markers.tolist()}) > 10
    assert not (copies.markers == other.markers).all()
    # Games of the seed itself have other dice than copies reseeded with it.
    assert not (Games(50, RICH, seed=1).state["key"] == copies.state["key"]).any()


def test_a_reseeded_copy_never_stops():
    """Whoever looks ahead plays on, whatever the real games stop at: what is pending, its own dice draw."""
    games = Games(30, seed=1, explicit_chance=True, pause_after_rounds=True)
    while not (games.player < -2).any():
        assert (games.copy(reseed=4).player >= 0).all()
        games.draw()
        games.step_random()
    copies = games.copy(reseed=4)
    assert (copies.player >= 0).all()
    while not copies.finished.all():
        copies.step_random()
    assert (games.copy().player == games.player).all()  # a snapshot stands where the games stand


def test_what_is_masked_is_no_value():
    games = Games(2, seed=1, explicit_chance=True)
    both = np.array([("north", 9), None], object)
    with pytest.raises(ValueError, match=r"^game 1: card cannot be None; possible are \['west', 6\]"):
        games.resolve(np.ma.masked_array(both, [False, True]))
    assert games.draw([False, True])[0] is None
    while games.player[1] == -2:
        games.draw([False, True])
    games.resolve(np.ma.masked_array(both, [False, True]))  # game 1 waits for nothing
    assert games.state["card"][0] == [list(card) for card in games.ruleset.environment].index(["north", 9])


def test_explicit_chance_stops_at_every_chance_event():
    games = Games(1, seed=1, explicit_chance=True)
    assert games.player.tolist() == [-2]
    assert games.decision.tolist() == [-2]
    name, values = games.chance(0)
    assert name == "card"
    assert len(values) == 10  # 11 cards, two of them equal
    assert {tuple(card): p for card, p in values}["east", 10] == pytest.approx(2 / 11)
    assert sum(p for _, p in values) == pytest.approx(1)
    games.resolve([(np.str_("east"), np.int64(10))])  # as NumPy draws them
    assert games.chance(0)[0] == "start_order"
    assert len(games.chance(0)[1]) == 24
    games.resolve([[3, 1, 0, 2]])
    assert games.player.tolist() == [3]
    assert games.decision.tolist() == [Decision.START_PLACE]
    with pytest.raises(ValueError, match="game 0 waits for no chance event"):
        games.chance(0)


def test_random_play_draws_the_chance_event_that_is_pending():
    games, other = Games(8, RICH, seed=6, explicit_chance=True), Games(8, RICH, seed=6)
    for draws in range(40):
        games.draw()
        games.play_random(draws % 3)
        games.step_random() if draws % 2 else None
    games.play_random()
    other.play_random()
    assert (games.markers == other.markers).all()


def test_all_chance_events_have_their_probabilities():
    games = Games(30, Ruleset(start_bp=60, income=60), seed=2, explicit_chance=True)
    seen = {}
    for _ in range(1500):
        for row in np.flatnonzero(games.player == -2):
            name, values = games.chance(row)
            seen[name] = len(values)
            assert sum(p for _, p in values) == pytest.approx(1)
        games.draw()
        games.step_random()
    assert seen["die"] == 6
    assert seen["dice"] == 36
    assert seen["fight"] == 2


def test_chance_values_may_be_tuples_and_numpy_integers_but_no_bools():
    games = Games(1, Ruleset(players=3), explicit_chance=True)
    games.resolve([("west", np.int16(6))])
    with pytest.raises(ValueError, match=re.escape("start_order cannot be [True, False, 2]")):
        games.resolve([[True, False, 2]])
    games.resolve([np.array([1, 0, 2])])
    assert games.player.tolist() == [1]


def test_pause_after_rounds():
    games = Games(2, seed=1, pause_after_rounds=True)
    rounds = []
    while not games.finished.all():
        if (games.player == -3).any():
            rounds += games.rounds[games.player == -3].tolist()
            games.resume()
        else:
            games.step_random()
    assert sorted(rounds) == sorted([*range(1, games.rounds[0]), *range(1, games.rounds[1])])


def test_buffers_are_filled():
    games = Games(3, seed=1)
    mask = np.full((3, 151), 7, np.int8)
    row, small = (np.full((3, games.observation_size), 7, dtype) for dtype in (np.float32, np.uint8))
    assert games.legal(out=mask) is mask
    assert games.observe(out=row) is row
    assert (mask == games.legal()).all()
    assert (row == games.observe()).all()
    assert games.observe(out=small, dtype=np.uint8) is small
    assert (small == games.observe(dtype=np.uint8)).all()


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ([83, 16], "game 1: action 16 ('space 1') is not legal in decision start_place of player"),
        ([83, -1], "game 1: action -1 (out of range) is not legal"),
        ([83, 151], "game 1: action 151 (out of range) is not legal"),
        ([83, 10**12], "game 1: action 1000000000000 (out of range)"),
    ],
)
def test_an_illegal_step_says_why_and_changes_nothing(actions: list, says: str):
    games = Games(2, seed=1)
    before = games.copy()
    with pytest.raises(ValueError, match=re.escape(says)):
        games.step(actions)
    assert same(games, before)


def test_what_does_not_fit_where_a_game_stands_changes_nothing():
    games, over = Games(2, seed=1, explicit_chance=True), Games(1)
    before = games.copy()
    over.play_random()
    for call, says in (
        (lambda: games.resolve([None, None]), "card cannot be None"),
        (lambda: games.resolve([["west", 6]]), "values is [['west', 6]]; it must be a list of 2 values"),
        (lambda: games.resolve([["west", 6], ["west", 7]]), "game 1: card cannot be"),
        (lambda: games.step([83, 83]), "game 0 waits for a chance event: its action must be -1, not 83"),
        (lambda: games.play_random(restart=True), "restart is True without max_decisions"),
        (lambda: over.step([0]), "game 0 is over: its action must be -1, not 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            call()
    assert same(games, before)


def test_acting_in_some_rows_after_others_is_acting_in_all():
    together, apart, told = (Games(50, RICH, seed=1) for _ in range(3))
    generator = np.random.default_rng(0)
    while not together.finished.all():
        actions = together.step_random()  # -1 where the game is over
        order = generator.permutation(50)
        for rows, others in ((order[:20], order[20:]), (order[20:], order[:20])):
            waiting = apart.state[others].copy()
            np.testing.assert_array_equal(apart.step_random(rows), actions[rows])
            np.testing.assert_array_equal(apart.state[others], waiting)
            told.step(actions[rows], rows=rows)
    np.testing.assert_array_equal(apart.state, together.state)
    for name in ("marker", "winner", "food", "bp"):
        np.testing.assert_array_equal(told.state[name], together.state[name])


def test_no_rows_are_none():
    games = Games(5, seed=1)
    before = games.state.copy()
    games.step([], rows=[])
    assert len(games.step_random([])) == 0
    np.testing.assert_array_equal(games.state, before)
