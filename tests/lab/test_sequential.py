"""Comparisons that stop by themselves."""

import numpy as np
import pytest

from ursuppe_env import Ruleset
from ursuppe_lab.arena import Tournament
from ursuppe_lab.arena.sequential import (
    ACCEPTED,
    FEWEST_SEEDS,
    REFUSED,
    compare_until_sure,
    likelihood_ratio,
    lineups_of_two,
)

from support.command import printed

TESTS, MOST_SEEDS = 2000, 3000


def advantages_of(games, alike, share, generator):
    """(MOST_SEEDS, TESTS) advantages by seed of so many games, which may be alike in a seed."""
    chance = share + generator.normal(0, alike, (MOST_SEEDS, TESTS))
    return generator.binomial(games, np.clip(chance, 0, 1)) / games - 0.5


def results_of(advantages, margin):
    """(TESTS,) who was found better, 0 or 1, or -1: nobody; and (TESTS,) after how many seeds."""
    found, lengths = np.full(TESTS, -1), np.full(TESTS, MOST_SEEDS)
    for seeds in range(FEWEST_SEEDS, MOST_SEEDS, 8):  # every eighth look is enough here
        left = np.flatnonzero(lengths == MOST_SEEDS)
        ratios = likelihood_ratio(advantages[:seeds, left], margin)
        is_better, is_over = (ratios >= ACCEPTED).any(axis=0), (ratios <= REFUSED).all(axis=0)
        found[left[is_better]] = ratios[:, is_better].argmax(axis=0)
        lengths[left[is_better | is_over]] = seeds
    return found, lengths


@pytest.mark.parametrize(("games", "alike", "margin"), [(14, 0.0, 0.02), (14, 0.1, 0.03), (2, 0.0, 0.05)])
def test_of_equals_one_in_twenty_is_found_better_at_most_and_it_takes_less_than_a_fixed_test(games, alike, margin):
    generator = np.random.default_rng(3)
    equals = advantages_of(games, alike, 0.5, generator)
    assert (results_of(equals, margin)[0] >= 0).mean() <= 0.05
    better, lengths = results_of(advantages_of(games, alike, 0.5 + margin, generator), margin)
    assert (better == 0).mean() >= 0.95
    fixed = (1.96 + 1.645) ** 2 * equals.var() / margin**2  # seeds that find such a difference as often
    assert lengths.mean() <= 0.6 * fixed


def tournament_of(first, second, players=4, **others):
    lineups = lineups_of_two((first, second), players)
    return Tournament(lineups=lineups, ruleset=Ruleset(players=players), num_games=2000, **others)


def test_each_plays_alone_and_with_four_seats_two_and_two():
    assert [*map("".join, lineups_of_two(("a", "b"), 4))] == ["abbb", "baaa", "aabb", "abab"]
    assert lineups_of_two(("a", "b"), 3) == (("a", "b", "b"), ("b", "a", "a"))
    assert lineups_of_two(("a", "b"), 2) == (("a", "b"),)


def test_the_better_one_is_found_soon_whichever_is_named_first_and_whatever_the_workers():
    verdict = compare_until_sure(tournament_of("hunter", "random"), 0.02, workers=1)
    assert (verdict.better, verdict.is_sure, verdict.seeds, verdict.games) == (0, True, 32, 32 * 14)
    assert verdict.share > 0.8
    assert compare_until_sure(tournament_of("hunter", "random"), 0.02, workers=2) == verdict
    assert compare_until_sure(tournament_of("random", "hunter", 3), 0.02, workers=1).better == 1


def test_equals_differ_by_less_than_a_large_margin():
    same = "ursuppe_agents.simple_agent:RandomAgent"
    verdict = compare_until_sure(tournament_of("random", same), 0.08, workers=1)
    assert (verdict.better, verdict.is_sure) == (None, True)


def test_the_command_says_who_is_better_or_that_it_is_not_known(capsys):
    compare = ["arena", "hunter", "random", "--until-sure", "--workers", "1"]
    told = printed(capsys, *compare)
    assert told.startswith("hunter is better than random (448 games, 32 seeds: hunter wins 9")
    told = printed(capsys, *compare, "--games", "8")
    assert told.startswith("not known yet whether hunter or random is better; give more --games")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hunter", "random", "--margin", "2"], "there is no --until-sure"),
        (["hunter", "random", "grow", "--until-sure"], "compares two different agents"),
        (["hunter", "hunter", "--until-sure"], "compares two different agents"),
        (["hunter", "random", "--until-sure", "--out", "x"], "until-sure keeps no games"),
        (
            ["hunter", "random", "--until-sure", "--margin", "50"],
            "margin is 50; it must be more than 0 and less than 50 points",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(arguments, message, refused):
    refused(["arena", *arguments], message)
