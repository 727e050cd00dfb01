"""Whether ratings explain the games, what is said where they do not, and cycles."""

import json
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ursuppe_lab.arena import Tournament, make_lineups, summarise
from ursuppe_lab.arena import equilibrium as equilibrium_module
from ursuppe_lab.arena.equilibrium import equilibria, equilibrium, in_words, shortest_cycles
from ursuppe_lab.arena.matches import keys_of
from ursuppe_lab.arena.play import COLUMNS


def games_of(tournament, generator, order):
    """The rows of games in which ``order`` ranks the agents of a table: it gives each seat its strength of the day."""
    rows = []
    for batch in tournament.batches():
        for index, lineup, rotation in keys_of(batch).iter_rows():
            seated = tournament.lineups[lineup]
            agents = [seated[(seat - rotation) % len(seated)] for seat in range(len(seated))]
            strength = np.array(order(agents)) + generator.gumbel(size=len(agents))
            ranks = 1 + (-strength).argsort().argsort()
            result = {"rounds": 9, "agents": agents, "ranks": ranks.tolist(), "markers": (50 - ranks).tolist()}
            same = {"decisions": [1] * len(agents), "forfeits": [0] * len(agents), "seconds": [0.1] * len(agents)}
            rows.append({"index": index, "lineup": lineup, "rotation": rotation, **result, **same})
    return pl.DataFrame(rows, schema=COLUMNS)


def summary_of(agents, order, schedule="one-vs-rest", games=400, seed=0):
    tournament = Tournament(lineups=make_lineups(list(agents), 4, schedule), num_games=games, seed=seed)
    return summarise(tournament, games_of(tournament, np.random.default_rng(seed), order))


WORTH = {"a": 1.0, "b": 0.5, "c": 0.0, "d": -1.0, "e": -2.5, "f": -6.0}  # the last one hardly ever wins


def as_plackett_luce(agents):
    return [WORTH[agent] for agent in agents]


def with_a_specialist(agents):
    """b is far better where all others are c."""
    return [2.5 if agent == "b" and agents.count("c") == 3 else WORTH[agent] for agent in agents]


def round_and_round(agents):
    """a before b before c before a, and d behind all."""
    if "d" in agents:
        return [-3.0 if agent == "d" else 0.0 for agent in agents]
    stronger = {frozenset("ab"): "a", frozenset("bc"): "b", frozenset("ca"): "c"}[frozenset(agents)]
    return [1.0 if agent == stronger else 0.0 for agent in agents]


@pytest.mark.parametrize("schedule", ["one-vs-rest", "mixed", "two-and-two"])
def test_games_of_the_model_show_no_misfit(schedule):
    wrong = [summary_of(WORTH, as_plackett_luce, schedule, games=80, seed=seed).fit.is_wrong for seed in range(4)]
    assert sum(wrong) <= 1  # one of twenty


def test_as_much_noise_as_there_is():
    fit = summary_of(WORTH, as_plackett_luce, games=400).fit
    assert len(fit.cells) == 30
    assert fit.rmse == pytest.approx(fit.noise, rel=0.4)
    assert fit.rmse == pytest.approx(np.sqrt(np.mean([cell.difference.estimate**2 for cell in fit.cells])))
    assert str(fit).startswith("No misfit of the ratings is shown: 30 predicted shares of wins, off by ")


def test_a_specialist_is_named_with_what_it_wins_and_what_was_predicted():
    fit = summary_of(WORTH, with_a_specialist).fit
    assert fit.is_wrong
    worst = fit.off[0]
    assert (worst.table, worst.agent, worst.games) == (("b", "c", "c", "c"), "b", 400)
    true = np.exp(2.5) / (np.exp(2.5) + 3)
    assert worst.observed.low < true < worst.observed.high
    assert worst.predicted.estimate < 0.6
    assert worst.difference.estimate == pytest.approx(worst.observed.estimate - worst.predicted.estimate)
    assert fit.rmse > 2 * fit.noise
    words = str(fit)
    assert "shown to be wrong. Farthest off: b at the table b - 3 c wins" in words
    assert words.endswith("The intervals of the ratings say nothing of this.")


def test_few_seeds_cannot_tell_misfit_from_chance():
    summary = summary_of(WORTH, with_a_specialist, games=20)
    assert (summary.fit.noise, summary.fit.off, summary.cycles) == (None, [], [])
    assert str(summary.fit).endswith("5 seeds are too few to tell a misfit from chance, 10 are needed.")
    found = json.loads(json.dumps(summary.as_dict(), allow_nan=False))
    assert found["fit"]["is_wrong"] is None
    assert found["nash"][0]["share"]["low"] is None


def test_seatings_of_the_same_agents_are_one_table():
    fit = summary_of(["a", "b", "c"], as_plackett_luce, "two-and-two").fit
    cells = [("".join(cell.table), cell.games) for cell in sorted(fit.cells)]
    assert cells == [("aabb", 600), ("aacc", 600), ("bbcc", 600)]


def test_at_a_table_of_many_agents_each_of_them_is_a_cell():
    fit = summary_of(["a", "b", "c", "d"], as_plackett_luce, "mixed").fit
    assert sorted(cell.agent for cell in fit.cells) == ["a", "b", "c", "d"]
    for shares in ("observed", "predicted"):
        assert sum(getattr(cell, shares).estimate for cell in fit.cells) == pytest.approx(1)


def test_one_agent_alone_has_nothing_to_fit():
    summary = summary_of(["a"] * 4, as_plackett_luce, None)
    assert (summary.fit, summary.nash, summary.cycles) == (None, None, [])


def test_a_cycle_is_named_and_shares_the_equilibrium():
    summary = summary_of(["a", "b", "c", "d"], round_and_round)
    assert summary.cycles == [("a", "b", "c")]
    assert in_words(summary.cycles[0]) == "a before b before c before a"
    assert summary.fit.is_wrong
    shares = {figures.agent: figures for figures in summary.nash}
    for agent in "abc":
        assert shares[agent].share.low < 1 / 3 < shares[agent].share.high
        assert shares[agent].value.estimate == pytest.approx(0.5)
    assert shares["d"].share == (0, 0, 0)
    assert shares["d"].value.high < 0.2
    assert [figures.agent for figures in summary.nash][-1] == "d"


def test_whom_nobody_beats_is_the_equilibrium_alone():
    best, *others = summary_of(WORTH, as_plackett_luce).nash
    assert (best.agent, best.share, best.value) == ("a", (1, 1, 1), (0.5, 0.5, 0.5))
    assert [figures.agent for figures in others] == list("bcdef")
    assert others[0].value.high < 0.5


def test_pairs_that_never_meet_have_no_equilibrium():
    lineups = (("a", "b", "b", "b"), ("a", "c", "c", "c"))
    tournament = Tournament(lineups=lineups, num_games=80)
    assert summarise(tournament, games_of(tournament, np.random.default_rng(0), as_plackett_luce)).nash is None


ROCK = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def antisymmetric(generator, size):
    drawn = generator.normal(size=(size, size))
    return drawn - drawn.T


def test_equilibria_that_one_knows():
    assert equilibrium(np.zeros((1, 1))) == [1]
    assert equilibrium(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    assert equilibrium(ROCK) == pytest.approx([1 / 3] * 3)
    # Rock wins three times as much against scissors: paper has three fifths.
    assert equilibrium(np.array([[0.0, -1, 3], [1, 0, -1], [-3, 1, 0]])) == pytest.approx([1 / 5, 3 / 5, 1 / 5])
    # A copy of rock shares its part, and changes nothing else.
    copied = ROCK[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert equilibrium(copied) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-5)


@pytest.mark.parametrize("size", [2, 3, 5, 10, 25])
def test_no_agent_beats_the_equilibrium(size):
    generator = np.random.default_rng(size)
    for _ in range(20):
        margins = antisymmetric(generator, size)
        shares = equilibrium(margins)
        assert shares.sum() == pytest.approx(1)
        assert shares.min() >= 0
        assert (margins @ shares).max() < 1e-7


def test_many_games_have_the_equilibria_that_each_has_alone():
    generator = np.random.default_rng(7)
    games = antisymmetric(generator, 7) + np.stack([0.3 * antisymmetric(generator, 7) for _ in range(50)])
    games[3] = games[7] = 0  # as even as possible: not to be found from those of others
    found = equilibria(games)
    assert found == pytest.approx(np.stack([equilibrium(game) for game in games]), abs=1e-6)
    assert len({tuple(shares > 0) for shares in found}) > 2


def test_equal_games_are_solved_once_and_no_set_of_agents_is_tried_twice(monkeypatch):
    solved, tried = [], []
    solve, attempt = equilibrium_module.equilibrium, equilibrium_module._only_equilibrium_of
    monkeypatch.setattr(equilibrium_module, "equilibrium", lambda game: solved.append(1) or solve(game))
    monkeypatch.setattr(equilibrium_module, "_only_equilibrium_of", lambda *asked: tried.append(1) or attempt(*asked))
    ties = np.zeros((40, 4, 4))  # two that are alike beat two others by more and more: never a single equilibrium
    ties[:, :2, 2:] = np.repeat(np.arange(1, 21), 2)[:, None, None]
    equilibria(ties - ties.transpose(0, 2, 1))
    assert (len(solved), len(tried)) == (20, 19)


def test_of_several_equilibria_it_is_the_most_even_one():
    generator = np.random.default_rng(1)
    for _ in range(10):  # two copies of each of five, and one who loses to all of them
        margins = np.full((11, 11), -1.0)
        margins[:10, :10] = np.kron(antisymmetric(generator, 5), np.ones((2, 2)))
        margins[:10, 10], margins[10, 10] = 1, 0
        shares = equilibrium(margins)
        single = equilibrium(margins[:10:2, :10:2])
        assert shares[:10] == pytest.approx(np.repeat(single / 2, 2), abs=1e-4)
        assert shares[10] == 0


def test_cycles_are_the_shortest_through_each_step():
    assert shortest_cycles([]) == []
    assert shortest_cycles([("a", "b"), ("b", "c"), ("a", "c")]) == []
    assert shortest_cycles([("b", "c"), ("c", "a"), ("a", "b")]) == [("a", "b", "c")]
    steps = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("x", "a")]
    assert shortest_cycles(steps) == [("a", "b", "c", "d")]
    assert shortest_cycles([*steps, ("c", "a")]) == [("a", "b", "c"), ("a", "b", "c", "d")]
    everybody = list(permutations("abc", 2))
    assert shortest_cycles(everybody) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_who_has_two_seats_and_always_wins_has_half_of_an_exact_interval():
    summary = summary_of("af", lambda agents: [100.0 * (agent == "a") for agent in agents], "two-and-two", games=60)
    always, never = (one.win_rate for one in sorted(summary.agents, key=lambda one: one.agent))
    games = sum(lineup.games for lineup in summary.lineups)
    low = stats.binomtest(games, games).proportion_ci(0.95, "exact").low
    assert always == pytest.approx((1 / 2, low / 2, 1 / 2))
    assert never == pytest.approx((0, 0, (1 - low) / 2))
    assert [lineup.win_rates["a"].high for lineup in summary.lineups] == [0.5] * len(summary.lineups)
