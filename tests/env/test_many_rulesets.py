"""A batch of games that are played with different rulesets."""

import re

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.records import check, record_games
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import SWITCHES

PLENTY = {"start_bp": 30, "income": 20, "cards": dict.fromkeys(GENE_NAMES, 4)}
RULESETS = (
    Ruleset(players=4),
    Ruleset(players=4, edition="1997", **PLENTY),
    Ruleset(players=4, amoebas=3, amoeba_places=[0, 1, 2, 3], end_zone=20, **PLENTY),
    Ruleset(players=4, environment=[["none", 3], ["west", 0], ["south", 2], ["east", 1]], price={"speed": 0}, **PLENTY),
    Ruleset(players=4, **dict.fromkeys(SWITCHES, True), **PLENTY),
)


def states(games: Games) -> np.ndarray:
    """The states apart from which ruleset of the batch it is."""
    found = games.state.copy()
    found["ruleset"] = 0
    return found


@pytest.mark.parametrize("threads", [1, 2])
def test_each_game_is_the_same_as_in_a_batch_with_its_ruleset_alone(threads: int):
    games = Games(2500, RULESETS, seed=5, threads=threads)
    assert games.ruleset_index.tolist() == (np.arange(2500) % 5).tolist()
    for _ in range(40):
        games.step_random()
    games.play_random(150)
    mask, seen = games.legal(), games.observe(seat=1)
    for number in range(5):
        rows = np.flatnonzero(games.ruleset_index == number)
        others = Games(len(rows), games.rulesets[number], seed=5, index=rows)
        for _ in range(40):
            others.step_random()
        others.play_random(150)
        assert (states(games)[rows] == states(others)).all()
        assert (mask[rows] == others.legal()).all()
        assert (seen[rows] == others.observe(seat=1)).all()


def test_as_many_rulesets_as_games_over_several_threads():
    rulesets = [Ruleset(players=3, income=income % 100) for income in range(4096)]
    games = Games(4096, rulesets, threads=2)
    games.play_random()
    assert games.finished.all()
    bp = games.state["bp"].sum(axis=1)
    assert bp[np.arange(4096) % 100 >= 50].mean() > 10 * bp[np.arange(4096) % 100 < 5].mean()


def test_which_ruleset_each_row_plays_can_be_chosen():
    games = Games(4, RULESETS, ruleset_index=[4, 4, 0, 1])
    assert games.ruleset_index.tolist() == [4, 4, 0, 1]
    assert [games.ruleset_of(i) for i in range(4)] == [RULESETS[i] for i in (4, 4, 0, 1)]
    assert games.rulesets == RULESETS
    assert games.num_players == 4
    assert repr(games) == "<Games: 4 games, 0 finished, 5 rulesets>"
    assert [games.to_dict(i)["ruleset"] for i in range(4)] == [RULESETS[i].changes() for i in (4, 4, 0, 1)]


def test_one_ruleset_is_the_simple_case():
    for given in (RULESETS[1], [RULESETS[1]]):
        games = Games(3, given)
        assert games.ruleset == RULESETS[1]
        assert games.rulesets == (RULESETS[1],)
        assert games.ruleset_index.tolist() == [0, 0, 0]


def test_the_ruleset_of_games_with_several_is_a_question_about_one_of_them():
    with pytest.raises(ValueError, match=r"these games have 5 rulesets; game i is played with games.ruleset_of\(i\)"):
        _ = Games(3, RULESETS).ruleset


def test_a_selection_of_rows_keeps_theirs():
    games = Games(20, RULESETS, seed=3)
    games.play_random(100)
    rows = [7, 3, 3, 19]
    some = games.copy(rows)
    assert some.ruleset_index.tolist() == [2, 3, 3, 4]
    games.play_random()
    some.play_random()
    assert (games.state[rows] == some.state).all()


def test_a_finished_row_keeps_its_ruleset_until_it_gets_another_one():
    games = Games(10, RULESETS)
    games.play_random()
    games.reset(np.arange(10) < 5)
    assert games.ruleset_index.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    games.reset(np.arange(10) < 5, ruleset_index=[4, 3, 2, 1, 0, 0, 0, 0, 0, 0])
    assert games.ruleset_index.tolist() == [4, 3, 2, 1, 0, 0, 1, 2, 3, 4]
    assert games.finished.tolist() == [False] * 5 + [True] * 5
    assert games.state["bp"][:, 0].tolist()[:5] == [30, 30, 30, 30, 4]


def test_the_rulesets_of_a_batch_can_be_replaced_where_games_begin():
    games = Games(3, RULESETS[:3])
    games.play_random(30)
    kept = states(games)[1:]
    other = RULESETS[0].replace(start_bp=77)
    games.reset([True, False, False], rulesets=[other, *RULESETS[1:3]])
    assert games.rulesets == (other, *RULESETS[1:3])
    assert games.state["bp"][0, :4].tolist() == [77] * 4
    assert (states(games)[1:] == kept).all()
    games.play_random()
    assert games.finished.all()


def test_records_have_the_ruleset_of_their_game():
    records = list(record_games(70, RULESETS, seed=3, rounds=True))  # more than are played side by side
    assert [record.ruleset for record in records] == [RULESETS[game % 5] for game in range(70)]
    assert [check(record) for record in records] == [None] * 70
    (alone,) = record_games(1, RULESETS[2], seed=3 + 67, rounds=True)
    assert records[67].to_dict() == alone.to_dict()


@pytest.mark.parametrize("agent", ["hunter", "greedy", "search:sims=12", "policy:default,deterministic=true"])
def test_agents_play_each_row_with_its_own_rules(agent: str):
    rulesets = RULESETS[:4]
    games = Games(8, rulesets, seed=2)
    games.play_random(90)
    rows = np.flatnonzero(~games.finished)
    chosen = make_agent(agent, seed=1)(games, rows)
    for row, action in zip(rows, chosen, strict=True):
        one = trusted_games(states(games)[[row]], games.ruleset_of(row))
        assert make_agent(agent, seed=1)(one, np.zeros(1, np.int64)) == [action]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"ruleset_index": [0, 0, 9]}, "ruleset_index has 9; with 3 rulesets it must be 0 ... 2"),
        ({"rulesets": [Ruleset(players=5)] * 3}, "rulesets are for 5 players; these games have 4 players"),
        ({"rulesets": RULESETS[:2], "mask": [True, False, False]}, "rulesets[2] is missing; games that go on are"),
        (
            {"rulesets": [RULESETS[0], RULESETS[0], RULESETS[2]], "mask": [True, False, True]},
            "rulesets[1] is Ruleset(players=4, edition='1998'); games that go on are played with",
        ),
        ({"rulesets": RULESETS[:2], "ruleset_index": [0, 1, 2]}, "ruleset_index has 2; with 2 rulesets it must be"),
    ],
)
def test_a_wrong_reset_changes_nothing(arguments: dict, says: str):
    games = Games(3, RULESETS[:3])
    games.play_random(20)
    before = games.state.copy()
    with pytest.raises(ValueError, match=re.escape(says)):
        games.reset(seed=4, **arguments)
    assert (games.state == before).all()
    assert games.rulesets == RULESETS[:3]


def test_states_of_a_batch_need_all_of_its_rulesets():
    games = Games(6, RULESETS[:3], seed=1)
    games.play_random(50)
    with pytest.raises(ValueError, match=r"state 1: ruleset is 1; with 1 ruleset it must be 0 \.\.\. 0"):
        Games.from_state(games.state.copy(), RULESETS[0])
    with pytest.raises(ValueError, match="state 0: "):
        Games.from_state(games.state.copy(), (RULESETS[1], RULESETS[0], RULESETS[2]))
