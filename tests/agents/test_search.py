"""Tree search, by the value function and by a policy: legal, reproducible, blind to the real future, and right where a
little thought decides."""

import time
from pathlib import Path
from threading import Lock

import numpy as np
import pytest
import torch
from hypothesis import given

from ursuppe_agents import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.policy_search import PolicySearch
from ursuppe_agents.search.tree import Search, Tree, begin_tree, edges_of, new_tree, visits_below
from ursuppe_agents.search.value import features_of, weights_for
from ursuppe_agents.search.value_search import ValueSearch, evaluate_leaf, new_leaf_evaluator
from ursuppe_env import Games, Ruleset, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.rules.nodes import Decision
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.files import save_policy

from support.decisive import DECISIVE
from support.mid_game import mid_game
from support.policies import SMALL, random_policy, ship
from support.positions import position
from support.rulesets import SEEDS, examples, rulesets

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores


def search(seed: int = 0, **parameters: float | str) -> SearchAgent:
    return SearchAgent(np.random.default_rng(seed), **parameters)


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    path = tmp_path / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


@pytest.fixture(params=["value", "policy"])
def by(request) -> dict[str, str]:
    """The parameters of an agent that searches by the value function, and of one by a policy."""
    return {} if request.param == "value" else {"policy": str(request.getfixturevalue("policy_file"))}


class Opinion:
    """An evaluator that has the same opinion of everything: the last legal action is likeliest, player 2 wins."""

    def __init__(self, odds: float = 1e3) -> None:
        self.asked: list[Games] = []
        self._odds = odds

    def evaluate(self, games, rows):
        copies = games.copy(rows)
        self.asked.append(copies)
        legal = copies.legal().astype(np.float64)
        last = games.num_actions - 1 - legal[:, ::-1].argmax(axis=1)
        legal[np.arange(len(rows)), last] *= self._odds
        return legal / legal.sum(axis=1, keepdims=True), self.chances(copies)

    def chances(self, games: Games) -> np.ndarray:
        return np.tile(np.eye(4)[2], (len(games), 1))


class Hoarder(Opinion):
    """All actions are as likely, and who has more BP than the others is likelier to win."""

    def __init__(self) -> None:
        super().__init__(odds=1)

    def chances(self, games: Games) -> np.ndarray:
        worth = np.exp(games.state["bp"][:, :4] / 4)
        return worth / worth.sum(axis=1, keepdims=True)


class Appraiser(Opinion):
    """The last legal action is likeliest, and chances of winning are those of the value function of ``greedy``."""

    def chances(self, games: Games) -> np.ndarray:
        features, rounds_left = features_of(games)
        weights = weights_for(4)
        strengths = ((weights[0] + weights[1] / rounds_left[:, np.newaxis, np.newaxis]) * features).sum(axis=2)
        worth = np.exp(strengths - strengths.max(axis=1, keepdims=True))
        return worth / worth.sum(axis=1, keepdims=True)


def tree_over(games: Games, nodes: int = 4000) -> Tree:
    tree = new_tree(nodes)
    begin_tree(tree, games.state, b"key", 0)
    return tree


def search_by(evaluator: Opinion, games: Games) -> PolicySearch:
    return PolicySearch(evaluator, games.ruleset, Lock())


def searched(simulations: int, evaluator: Opinion, games: Games | None = None) -> Tree:
    """A tree over the middle of a game, or another one."""
    games = mid_game(1) if games is None else games
    tree = tree_over(games, 4 * simulations)
    assert search_by(evaluator, games).simulate(tree, simulations) == simulations
    return tree


def decisions(tree: Tree) -> np.ndarray:
    """The nodes that are decisions which were expanded."""
    used = tree.used[0]
    return np.flatnonzero((tree.games["player"][:used] >= 0) & (tree.num_edges[:used] > 0))


def improved_policy(tree: Tree) -> np.ndarray:
    return search_by(Opinion(), Games(1)).votes(tree).votes


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
@pytest.mark.parametrize("has_policy", [False, True])
def test_it_plays_whole_games(players: int, has_policy: bool, tmp_path: Path):
    config = TrainingConfig(players=players, edition="1997", layers=(8, 4))
    save_policy(random_policy(config), config, tmp_path / "policy.zip")
    games = Games(2, Ruleset(players=players, edition="1997"), seed=players)
    agent = search(sims=3, policy=str(tmp_path / "policy.zip") if has_policy else None)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(agent.act(games, rows), rows)  # raises if illegal
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


def test_the_random_streams_of_the_real_game_make_no_difference(by: dict[str, str]):
    games = mid_game()
    other = games.copy(reseed=99)
    before, rows = games.state.tobytes(), np.arange(len(games))
    assert (games.state["key"] != other.state["key"]).all()
    assert search(sims=60, **by).act(games, rows).tolist() == search(sims=60, **by).act(other, rows).tolist()
    assert games.state.tobytes() == before


# ---------------------------------------------------------------------- the same again


def played(agent: SearchAgent, games: Games, steps: int) -> list[list[int]]:
    rows = np.arange(len(games))
    actions = []
    for _ in range(steps):
        actions.append(agent.act(games, rows).tolist())
        games.step(np.array(actions[-1]))
    return actions


def test_the_same_seed_plays_the_same_game_whatever_the_batch_and_the_threads(by: dict[str, str]):
    first = played(search(sims=40, **by), mid_game(), 12)
    assert played(search(sims=40, **by), mid_game(), 12) == first
    assert played(search(sims=40, threads=2, **by), mid_game(), 12) == first
    alone = [played(search(sims=40, **by), mid_game().copy([row]), 12) for row in range(6)]
    assert [[actions[step][0] for actions in alone] for step in range(12)] == first


def test_another_seed_searches_another_tree(by: dict[str, str]):
    games, trees = mid_game(1), []
    for seed in range(2):
        agent = search(seed=seed, sims=100, **by)
        agent.act(games, np.zeros(1, np.int64))
        trees.append(agent._own.tree)
    assert trees[0].value_sums[0].tolist() != trees[1].value_sums[0].tolist()


def test_the_row_makes_no_difference(by: dict[str, str]):
    """One game, to its end, in rows 0 and 40."""
    agent = search(sims=12, **by)
    games = Games(41, seed=4, index=np.zeros(41, np.int64))
    rows = np.array([0, 40])
    while not games.finished[0]:
        first, second = agent.act(games, rows)
        assert first == second
        games.step(np.array([first, second]), rows)


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


@pytest.fixture(params=["value", "policy"])
def simulates(request) -> Search:
    """A search of games with the default ruleset."""
    return ValueSearch(Ruleset()) if request.param == "value" else search_by(Hoarder(), Games(1))


def test_visits_and_values_add_up(simulates: Search):
    tree = tree_over(mid_game(1))
    assert simulates.simulate(tree, 500) == 500
    nodes, edges = tree.used
    assert tree.visit_counts[0] == 500
    assert not tree.num_pending[:nodes].any()
    # Chances of winning sum to 1.
    assert np.allclose(tree.value_sums[:nodes, :4].sum(axis=1), tree.visit_counts[:nodes])
    assert (tree.visit_counts[:nodes] > 0).all()
    for node in range(nodes):
        own = tree.visit_counts[node] - visits_below(tree, node).sum()
        if tree.games[node]["player"] < 0:
            assert own == 0
            continue
        # A decision is evaluated once, when it is expanded; by a policy also for those that waited there together.
        assert own == 1 or (own > 1 and isinstance(simulates, PolicySearch))
        assert tree.priors[edges_of(tree, node)].sum() == pytest.approx(1)
    assert tree.children[:edges].max() < nodes


def test_a_full_tree_stops(simulates: Search):
    tree = tree_over(mid_game(1), 50)
    assert simulates.simulate(tree, 500) < 500
    assert tree.used[0] <= len(tree.games)


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


# ---------------------------------------------------------------------- what the policy says


def test_it_is_asked_about_every_decision_in_the_tree_and_about_several_at_a_time():
    opinion = Opinion(odds=1)
    tree = searched(160, opinion)
    assert max(len(games) for games in opinion.asked) == PolicySearch.at_once
    asked = {game.tobytes() for games in opinion.asked for game in games.state}
    assert asked == {tree.games[node].tobytes() for node in decisions(tree)}
    assert len(opinion.asked) == 1 + -(-159 // PolicySearch.at_once)  # the root alone, then groups


def test_the_priors_are_its_probabilities():
    tree = searched(50, Opinion(odds=3))
    for node in decisions(tree):
        count = tree.num_edges[node]
        assert tree.priors[edges_of(tree, node)] == pytest.approx(np.array([1] * (count - 1) + [3]) / (count + 2))


def test_with_the_same_value_everywhere_likelier_actions_are_visited_more_and_the_policy_stays_as_it_is():
    tree = searched(400, Opinion(odds=3))
    assert (visits_below(tree, 0)[-1] > visits_below(tree, 0)[:-1]).all()
    assert improved_policy(tree) == pytest.approx(tree.priors[edges_of(tree, 0)])


def test_what_is_better_for_who_decides_is_visited_more_and_is_the_improved_policy():
    games = Games(1, seed=3)
    while games.state["node"][0] != Decision.BUY or games.legal()[0].sum() < 4:
        games.step(make_agent("greedy", 0).act(games, np.zeros(1, np.int64)))
    tree = searched(400, Hoarder(), games)
    improved = improved_policy(tree)
    assert improved.sum() == pytest.approx(1)
    keeps_all = games.legal()[0].nonzero()[0].tolist().index(games.actions.id("pass", int(games.player[0])))
    assert improved.argmax() == visits_below(tree, 0).argmax() == keeps_all
    assert improved[keeps_all] > 0.9


def test_simulations_below_a_root_are_not_told_above_it():
    games = mid_game(1)
    tree, search = tree_over(games, 4000), search_by(Opinion(), games)
    search.simulate(tree, 300)
    below = decisions(tree)[1:]
    tree.root[0] = below[np.argmax(tree.visit_counts[below])]
    before = tree.visit_counts[tree.root[0]]
    assert search.simulate(tree, 100) == 100
    assert tree.visit_counts[0] == 300
    assert tree.visit_counts[tree.root[0]] == before + 100


@pytest.mark.parametrize("name", DECISIVE)
def test_what_wins_is_found_against_the_priors_if_the_critic_sees_it_from_near(name: str):
    position, wanted = DECISIVE[name]()
    tree = searched(300, Appraiser(odds=20), position.games)
    action = position.games.legal()[0].nonzero()[0][improved_policy(tree).argmax()]
    assert position.games.actions.text(int(action), int(position.games.player[0])).startswith(wanted)


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


def test_budgets_are_kept(policy_file: Path):
    agent = search(policy=str(policy_file), sims=70)
    agent.act(mid_game(1), np.zeros(1, np.int64))
    assert agent._own.tree.visit_counts[0] == 70
    agent = make_agent(f"search:ms=5,policy={policy_file}", 0)
    assert agent.act(mid_game(2), np.arange(2)).shape == (2,)


def test_default_is_the_policy_of_the_package(policy_file: Path, tmp_path: Path, monkeypatch):
    ship("4", tmp_path, monkeypatch)
    games, rows = mid_game(), np.arange(6)
    default = make_agent("search:policy=default,sims=40", 0)
    assert (
        default.act(games, rows).tolist() == search(policy=str(tmp_path / "4.zip"), sims=40).act(games, rows).tolist()
    )


def test_a_policy_for_another_number_of_players_is_refused(policy_file: Path):
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
        search(policy=str(policy_file), sims=5).act(Games(1, Ruleset(players=3)), np.zeros(1, np.int64))


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path, capsys):
    missing = tmp_path / "none.zip"
    with pytest.raises(FileNotFoundError):
        search(policy=str(missing))
    assert run(["arena", "--agents", f"search:policy={missing},random", "--games", "4"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
