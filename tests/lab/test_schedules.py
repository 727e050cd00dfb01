"""Who plays whom: lineups of each schedule, and how often agents meet and sit where."""

from collections import Counter
from itertools import combinations, permutations, product

import pytest

from ursuppe_lab.arena import Tournament, make_lineups
from ursuppe_lab.arena.lineups import MOST_AGENTS, balanced_blocks, num_rotations

AGENTS = [f"agent{number}" for number in range(MOST_AGENTS)]
SOME = [2, 3, 4, 5, 6, 7, 9, 10, 13, 16, 21, 25, 60]  # those of one base block, those without it, and the most


def test_balanced_blocks_are_few():
    """As many as they must be: b = t K with t = (K - 1) / gcd(K - 1, P (P - 1)); or all, if those are fewer."""
    sizes = {(7, 3): 7, (13, 4): 13, (10, 4): 30, (5, 3): 10, (6, 4): 15, (9, 4): 18, (60, 4): 59 * 60, (10, 2): 45}
    assert {key: len(balanced_blocks(*key)) for key in sizes} == sizes


@pytest.mark.parametrize(("number", "players"), list(product(SOME, (2, 3, 4, 5, 6))))
def test_at_mixed_tables_everybody_sits_everywhere_and_meets_everybody_equally_often(number, players):
    lineups = make_lineups(AGENTS[:number], players, "mixed", seed=3)
    seats = {len(set(lineup)) for lineup in lineups}
    assert seats == {min(number, players)}
    assert len({frozenset(lineup) for lineup in lineups}) == len(lineups) or number < players
    for lineup in lineups:
        assert max(Counter(lineup).values()) - min(Counter(lineup).values()) <= 1
    seated = [lineup[shift:] + lineup[:shift] for lineup in lineups for shift in range(num_rotations(lineup))]
    in_seat = Counter((seat, agent) for table in seated for seat, agent in enumerate(table))
    assert len(in_seat) == number * players
    assert len(set(in_seat.values())) == 1
    meetings = Counter(frozenset(pair) for table in seated for pair in combinations(table, 2) if len(set(pair)) == 2)
    assert len(meetings) == number * (number - 1) // 2
    assert len(set(meetings.values())) == 1


def test_mixed_tables_are_those_of_their_seed():
    agents = AGENTS[:10]
    lineups = make_lineups(agents, 4, seed=1)
    assert lineups == make_lineups(agents, 4, "mixed", seed=1)
    assert lineups != make_lineups(agents, 4, seed=2)
    assert len(lineups) == 30
    assert len({table.index(min(table)) for table in lineups}) == 4  # the places at a table are drawn too


def test_as_many_agents_as_players_are_one_lineup():
    assert make_lineups(["a", "b", "c", "d"], 4) == (("a", "b", "c", "d"),)
    assert make_lineups(["a", "b", "b", "b"], 4) == (("a", "b", "b", "b"),)
    assert [sorted(lineup) for lineup in make_lineups(["a", "b", "c", "d"], 4, "mixed")] == [["a", "b", "c", "d"]]


def test_fewer_agents_than_players_have_several_seats_at_mixed_tables():
    assert sorted(make_lineups(["a", "b"], 4)[0]) == ["a", "a", "b", "b"]
    assert sorted("".join(sorted(lineup)) for lineup in make_lineups(["a", "b", "c"], 4)) == ["aabc", "abbc", "abcc"]


def test_one_agent_is_alone_against_copies_of_each_other_one():
    assert make_lineups(["a", "b"], 4, "one-vs-rest") == (("a", "b", "b", "b"), ("b", "a", "a", "a"))
    of_three = tuple((one, rest, rest) for one, rest in permutations("abc", 2))
    assert make_lineups(["a", "b", "c"], 3, "one-vs-rest") == of_three


def test_two_and_two_sit_in_every_way_once():
    lineups = make_lineups(["a", "b", "c"], 4, "two-and-two")
    assert lineups[:2] == (("a", "a", "b", "b"), ("a", "b", "a", "b"))
    assert len(lineups) == 6
    played = [
        tuple(lineups[lineup][(seat - rotation) % 4] for seat in range(4))
        for batch in Tournament(lineups=lineups, num_games=1).batches()
        for index, lineup, rotation in batch.games()
        if index == 0
    ]
    assert len(played) == len(set(played)) == 3 * 6
    assert {table for table in played if set(table) == {"a", "b"}} == set(permutations("aabb"))


def test_lineups_of_fewer_rotations_have_the_same_seeds():
    lineups = make_lineups(["a", "b"], 4, "two-and-two")
    played = Tournament(lineups=lineups, num_games=40)
    assert (played.num_seeds, played.total_games, played.rotations) == (10, 60, 4)
    assert played.as_dict()["games"] == 40
    alone = Tournament(lineups=(("a", "a", "a", "a"),), num_games=40)
    assert (alone.num_seeds, alone.total_games) == (40, 40)


@pytest.mark.parametrize(
    ("agents", "players", "schedule", "message"),
    [
        (["a"], 4, None, "there is 1 agent; the schedule mixed needs at least 2"),
        (["a"], 4, "one-vs-rest", "there is 1 agent; the schedule one-vs-rest needs at least 2"),
        (["a", "a"], 4, None, "agent a is named twice"),
        (["a", "b", "b", "b"], 4, "one-vs-rest", "agent b is named twice"),
        (["a", "b", "b", "b"], 4, "mixed", "agent b is named twice"),
        (["a", "b"], 4, "some", "schedule is 'some'; it must be mixed, one-vs-rest or two-and-two"),
        (["a", "b", "c", "d"], 3, "two-and-two", "is for 4 seats, and there are 3"),
        (["a", "b", "c"], 2, "one-vs-rest", "of 2 sides is that of all pairs: it is called mixed"),
        ([f"a{number}" for number in range(61)], 4, None, "there are 61 agents; the schedule mixed is for at most 60"),
    ],
)
def test_agents_that_do_not_fit_the_schedule_are_refused(agents, players, schedule, message):
    with pytest.raises(ValueError, match=message):
        make_lineups(agents, players, schedule)
