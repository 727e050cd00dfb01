"""Decisions of games are counted while somebody asks for it."""

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_env import Games
from ursuppe_env.counting import counting, counts


def test_every_way_to_take_decisions_counts():
    games = Games(4, seed=1)
    with counting() as count:
        copies = games.copy(reseed=7)
        assert count.decisions == 0
        copies.step_random()
        assert count.decisions == 4
        copies.step_random(rows=[1, 3])
        assert count.decisions == 6
        copies.step(copies.legal().argmax(axis=1))
        assert count.decisions == 10
        made = copies.play_random()
        assert count.decisions == 10 + made.sum()
        copies.step(np.full(4, -1))  # nobody decides in games that are over
        assert count.decisions == 10 + made.sum()


def test_what_comes_before_and_after_does_not_count_and_one_inside_another_counts_for_both():
    games = Games(1)
    games.step_random()
    with counting() as outer:
        with counting() as inner:
            games.step_random()
        games.step_random()
    games.step_random()
    assert (outer.decisions, inner.decisions) == (2, 1)
    assert counts == []


def test_greedy_counts_what_it_looks_ahead():
    games = Games(3, seed=5)
    with counting() as count:
        make_agent("greedy", 0).act(games, np.arange(3))
    assert count.decisions >= games.legal().sum()
