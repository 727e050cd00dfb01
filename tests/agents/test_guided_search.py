"""A search with a trained policy: it follows what the policy says, and what holds for searches still holds."""

from pathlib import Path
from threading import Lock

import numpy as np
import pytest
import torch
from test_search import assert_the_same_in_every_row, mid_game, played, tree_over

from ursuppe_agents import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.policy_search import PolicySearch
from ursuppe_agents.search.tree import Tree, edges_of, visits_below
from ursuppe_agents.search.value import features_of, weights_for
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run
from ursuppe_env.rules.nodes import Decision
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.files import save_policy

from support.decisive import DECISIVE
from support.policies import SMALL, random_policy, ship

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores


@pytest.fixture
def policy_file(tmp_path) -> Path:
    path = tmp_path / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


def guided(policy: Path | str, seed: int = 0, **parameters: float) -> SearchAgent:
    return SearchAgent(np.random.default_rng(seed), policy=str(policy), **parameters)


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


def test_visits_and_values_add_up_and_nothing_waits_any_more():
    tree = searched(200, Hoarder())
    used = tree.used[0]
    assert tree.visit_counts[0] == 200
    assert np.allclose(tree.value_sums[:used, :4].sum(axis=1), tree.visit_counts[:used])
    assert not tree.num_pending[:used].any()


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


def test_a_full_tree_stops():
    games = mid_game(1)
    tree = tree_over(games, 52)
    assert search_by(Opinion(odds=1), games).simulate(tree, 500) < 500
    assert tree.used[0] <= len(tree.games)


# ---------------------------------------------------------------------- what it plays


@pytest.mark.parametrize("name", DECISIVE)
def test_what_wins_is_found_against_the_priors_if_the_critic_sees_it_from_near(name: str):
    position, wanted = DECISIVE[name]()
    tree = searched(300, Appraiser(odds=20), position.games)
    action = position.games.legal()[0].nonzero()[0][improved_policy(tree).argmax()]
    assert position.games.actions.text(int(action), int(position.games.player[0])).startswith(wanted)


@pytest.mark.parametrize("players", [3, 6])
def test_it_plays_whole_games_of_other_numbers_of_players(players: int, tmp_path: Path):
    config = TrainingConfig(players=players, layers=(8, 4))
    save_policy(random_policy(config), config, tmp_path / "policy.zip")
    games = Games(2, Ruleset(players=players), seed=players)
    agent = guided(tmp_path / "policy.zip", sims=3)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(agent.act(games, rows), rows)  # raises if illegal
    assert (games.winner >= 0).all()


def test_the_random_streams_of_the_real_game_make_no_difference(policy_file: Path):
    games = mid_game()
    other = games.copy(reseed=99)
    before = games.state.tobytes()
    chosen = [guided(policy_file, sims=60).act(batch, np.arange(len(games))).tolist() for batch in (games, other)]
    assert chosen[0] == chosen[1]
    assert games.state.tobytes() == before


def test_the_same_seed_plays_the_same_game_whatever_the_batch_and_the_threads(policy_file: Path):
    first = played(guided(policy_file, sims=40), mid_game(), 12)
    assert played(guided(policy_file, sims=40), mid_game(), 12) == first
    assert played(guided(policy_file, sims=40, threads=2), mid_game(), 12) == first
    alone = [played(guided(policy_file, sims=40), mid_game().copy([row]), 12) for row in range(6)]
    assert [[actions[step][0] for actions in alone] for step in range(12)] == first


def test_the_row_makes_no_difference(policy_file: Path):
    assert_the_same_in_every_row(guided(policy_file, sims=40))


def test_another_seed_searches_another_tree(policy_file: Path):
    games, trees = mid_game(1), []
    for seed in range(2):
        agent = guided(policy_file, seed=seed, sims=100)
        agent.act(games, np.zeros(1, np.int64))
        trees.append(agent._own.tree)
    assert trees[0].value_sums[0].tolist() != trees[1].value_sums[0].tolist()


def test_budgets_are_kept(policy_file: Path):
    agent = guided(policy_file, sims=70)
    agent.act(mid_game(1), np.zeros(1, np.int64))
    assert agent._own.tree.visit_counts[0] == 70
    agent = make_agent(f"search:ms=5,policy={policy_file}", 0)
    assert agent.act(mid_game(2), np.arange(2)).shape == (2,)


# ---------------------------------------------------------------------- how it is called


def test_default_is_the_policy_of_the_package(policy_file: Path, tmp_path: Path, monkeypatch):
    ship("4", tmp_path, monkeypatch)
    games, rows = mid_game(), np.arange(6)
    default = make_agent("search:policy=default,sims=40", 0)
    assert default.act(games, rows).tolist() == guided(tmp_path / "4.zip", sims=40).act(games, rows).tolist()


def test_a_policy_for_another_number_of_players_is_refused(policy_file: Path):
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
        guided(policy_file, sims=5).act(Games(1, Ruleset(players=3)), np.zeros(1, np.int64))


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path, capsys):
    missing = tmp_path / "none.zip"
    with pytest.raises(FileNotFoundError):
        guided(missing)
    assert run(["arena", "--agents", f"search:policy={missing},random", "--games", "4"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
