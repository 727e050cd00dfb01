"""Tree search: legal, reproducible, blind to the real future, and right where a little thought decides."""

import time

import numpy as np
import pytest
from hypothesis import given

from ursuppe_agents import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.tree import Tree, begin_tree, edges_of, new_tree
from ursuppe_agents.search.value_search import ValueSearch, evaluate_leaf, new_leaf_evaluator
from ursuppe_env import Games, Ruleset, ursuppe_v0

from support.decisive import DECISIVE
from support.positions import position
from support.rulesets import SEEDS, examples, rulesets


def search(seed: int = 0, **parameters: float) -> SearchAgent:
    return SearchAgent(np.random.default_rng(seed), **parameters)


def mid_game(num_games: int = 6, seed: int = 4, **ruleset: object) -> Games:
    """Games in their second or third round, in which greedy players act."""
    games = Games(num_games, Ruleset(**ruleset), seed=seed)
    greedy = make_agent("greedy", 0)
    for _ in range(90):
        games.step(greedy.act(games, np.arange(num_games)))
    assert not games.finished.any()
    return games


# ---------------------------------------------------------------------- what it plays


@examples(15)
@given(rulesets(), SEEDS)
def test_it_is_legal_in_every_ruleset_and_changes_nothing(ruleset: Ruleset, seed: int):
    games = Games(2, ruleset, seed=seed)
    games.play_random(seed % 50)
    agent = search(sims=12)
    for _ in range(6):
        rows = np.flatnonzero(games.player >= 0)
        before = games.state.tobytes()
        actions = agent.act(games, rows)
        assert games.state.tobytes() == before
        games.step(actions, rows)  # raises if illegal


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_it_plays_whole_games(players: int):
    games = Games(2, Ruleset(players=players, edition="1997"), seed=players)
    agent = search(sims=3)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(agent.act(games, rows), rows)
    assert (games.winner >= 0).all()


@pytest.mark.parametrize("name", DECISIVE)
def test_what_wins_at_once_is_found(name: str):
    game, wanted = DECISIVE[name]()
    action = search(sims=300).act(game.games, np.zeros(1, np.int64))[0]
    assert game.games.actions.text(int(action), int(game.games.player[0])).startswith(wanted)


def test_it_gets_ready_whatever_its_budget():
    agent = search(ms=3000)
    for _ in range(2):
        began = time.monotonic()
        agent.prepare(Games(1))
    assert time.monotonic() - began < 1.5
    assert agent._sims is None


# ---------------------------------------------------------------------- what it may know


def test_the_random_streams_of_the_real_game_make_no_difference():
    games = mid_game()
    other = games.copy(reseed=99)
    rows = np.arange(len(games))
    assert (games.state["key"] != other.state["key"]).all()
    assert search(sims=60).act(games, rows).tolist() == search(sims=60).act(other, rows).tolist()


# ---------------------------------------------------------------------- the same again


def played(agent: SearchAgent, games: Games, steps: int) -> list[list[int]]:
    rows = np.arange(len(games))
    actions = []
    for _ in range(steps):
        actions.append(agent.act(games, rows).tolist())
        games.step(np.array(actions[-1]))
    return actions


def test_the_same_seed_plays_the_same_game_whatever_the_threads():
    first = played(search(sims=40), mid_game(), 12)
    assert played(search(sims=40), mid_game(), 12) == first
    assert played(search(sims=40, threads=2), mid_game(), 12) == first
    assert played(search(seed=1, sims=40), mid_game(), 12) != first


def assert_the_same_in_every_row(agent: SearchAgent):
    """One game, to its end, in rows 0 and 40."""
    games = Games(41, seed=4, index=np.zeros(41, np.int64))
    rows = np.array([0, 40])
    while not games.finished[0]:
        first, second = agent.act(games, rows)
        assert first == second
        games.step(np.array([first, second]), rows)


def test_the_row_makes_no_difference():
    assert_the_same_in_every_row(search(sims=12))


def test_what_was_searched_before_makes_no_difference():
    games = mid_game(1)
    agent = search(sims=60)
    row = np.zeros(1, np.int64)
    for _ in range(4):
        action = agent.act(games, row)
        assert action == search(sims=60).act(games, row)
        games.step(action)


def test_threads_without_rows_search_trees_of_their_own_and_the_votes_are_counted_together():
    games = mid_game(2)
    agent = search(ms=5, threads=4)
    found, search_one = {}, agent._search
    agent._search = lambda games, *which: found.setdefault(which, search_one(games, *which))
    first = agent.act(games, np.zeros(1, np.int64))
    assert games.legal()[0, first] == 1
    assert sorted(found) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    number = np.flatnonzero(games.legal()[0]).tolist().index(first[0])
    votes = sum(tree.votes for tree in found.values())
    assert votes[number] == max(votes)
    found.clear()
    agent.act(games, np.arange(2))
    assert sorted(found) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_rows_of_another_ruleset_do_not_share_trees():
    agent = search(sims=30)
    row = np.zeros(1, np.int64)
    cheap = Games(1, Ruleset(price={"speed": 1}), seed=3)
    dear = Games.from_state(cheap.state, Ruleset(price={"speed": 50}))
    agent.act(cheap, row)
    assert agent.act(dear, row) == search(sims=30).act(dear, row)


# ---------------------------------------------------------------------- the tree


def tree_over(games: Games, nodes: int = 4000) -> Tree:
    tree = new_tree(nodes)
    begin_tree(tree, games.state, b"key", 0)
    return tree


def test_visits_and_values_add_up():
    games = mid_game(1)
    tree = tree_over(games)
    assert ValueSearch(games.ruleset).simulate(tree, 500) == 500
    nodes, edges = tree.used
    assert tree.visit_counts[0] == 500
    assert np.allclose(
        tree.value_sums[:nodes, :4].sum(axis=1), tree.visit_counts[:nodes]
    )  # chances of winning sum to 1
    assert (tree.visit_counts[:nodes] > 0).all()
    for node in range(nodes):
        children = tree.children[edges_of(tree, node)]
        below = tree.visit_counts[children[children >= 0]].sum()
        is_decision = tree.games[node]["player"] >= 0
        assert below == tree.visit_counts[node] - is_decision  # a decision is evaluated once, when it is expanded
        if is_decision:
            assert tree.priors[edges_of(tree, node)].sum() == pytest.approx(1)
    assert tree.children[:edges].max() < nodes


def test_the_root_is_searched_more_widely_than_the_decisions_further_down():
    games = mid_game(1)
    tree, search = tree_over(games), ValueSearch(games.ruleset)
    search.simulate(tree, 200)

    def priors(node: int) -> np.ndarray:
        return tree.priors[edges_of(tree, node)].copy()

    at_root = priors(0)
    search.simulate(tree, 1)
    assert priors(0).tolist() == at_root.tolist()  # widened once
    below = next(
        node
        for node in range(1, tree.used[0])
        if tree.games[node]["player"] >= 0 and tree.num_edges[node] > 1 and priors(node).max() < 0.9
    )
    tree.root[0] = below
    before = priors(below)
    search.simulate(tree, 1)
    assert priors(below).max() < before.max()
    assert priors(below).sum() == pytest.approx(1)


def test_a_leaf_from_which_the_game_is_played_to_its_end_is_worth_the_result():
    game = position(phase=4, round=10, amoebas={"0.1": 1, "3.1": 12}, markers=(17, 10, 9, 21), bp={0: 6})
    state, evaluator = game.games.state[0], new_leaf_evaluator(game.games.ruleset)
    count = int(state["num_legal"])
    evaluate_leaf(state, evaluator, np.zeros(count), np.zeros(count), np.uint64(1))
    assert sorted(evaluator.values[:4]) == [0, 0, 0, 1]


def test_a_full_tree_stops():
    games = mid_game(1)
    tree = tree_over(games, 50)
    assert ValueSearch(games.ruleset).simulate(tree, 500) < 500
    assert tree.used[0] <= len(tree.games)


# ---------------------------------------------------------------------- how it is called


@pytest.mark.parametrize("parameters", [{"ms": 0}, {"sims": 0}, {"threads": 0}, {"ms": float("nan")}])
def test_a_budget_that_is_not_positive_is_refused(parameters: dict[str, float]):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"{name} of agent 'search' is .*; it must be more than 0"):
        search(**parameters)


@pytest.mark.parametrize("budget", ["ms=1e12", "ms=1e308", "sims=10000000000", "threads=100000000"])
def test_a_budget_that_no_memory_has_room_for_is_refused_before_anything_is_made(budget: str):
    threads = f"threads={1 if 'threads' not in budget else 100000000}"
    with pytest.raises(ValueError, match=rf"^agent 'search' has .* and {threads}; this machine has memory") as told:
        make_agent(f"search:{budget}", 0)
    assert f"{budget.partition('=')[0]}=" in str(told.value)
    assert "\n" not in str(told.value)


def test_milliseconds_are_kept_and_the_code_has_parameters():
    env = ursuppe_v0.env()
    env.reset(seed=2)
    agent = make_agent("search:5", 0)
    assert env.action_space(env.agent_selection).contains(agent.act_in(env))
    assert make_agent("search:sims=7,threads=2", 0).act(Games(3), np.arange(3)).shape == (3,)
