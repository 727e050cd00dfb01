"""A trained policy guides a search where it matters, and what holds for searches still holds."""

from pathlib import Path

import numpy as np
import pytest
import torch
from test_search import mid_game, played

from ursuppe_agents import make_agent
from ursuppe_agents.search.agent import SearchAgent
from ursuppe_agents.search.guided import SIMULATIONS_PER_CALL, GuidedSearch
from ursuppe_agents.search.leaves import new_leaf_evaluator
from ursuppe_agents.search.tree import Tree, new_tree, simulate
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run
from ursuppe_training.config import TrainingConfig
from ursuppe_training.models import save_policy

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

    def __init__(self) -> None:
        self.asked: list[Games] = []

    def evaluate(self, games, rows):
        copies = games.copy(rows)
        self.asked.append(copies)
        legal = copies.legal().astype(np.float64)
        last = games.num_actions - 1 - legal[:, ::-1].argmax(axis=1)
        legal[np.arange(len(rows)), last] *= 1e6
        return legal / legal.sum(axis=1, keepdims=True), np.tile(np.eye(4)[2], (len(rows), 1))


def searched(simulations: int, evaluator: Opinion | None = None) -> Tree:
    """A tree over the middle of a game."""
    games = mid_game(1)
    tree, leaf_evaluator = new_tree(4 * simulations), new_leaf_evaluator(games.ruleset)
    tree.games[:1] = games.state
    tree.used[:] = (1, 0)
    search = simulate if evaluator is None else GuidedSearch(evaluator, games.ruleset).simulate
    assert search(tree, leaf_evaluator, simulations) == simulations
    return tree


def decisions(tree: Tree) -> np.ndarray:
    """The nodes that are decisions which were opened."""
    used = tree.used[0]
    return np.flatnonzero((tree.games["player"][:used] >= 0) & (tree.num_edges[:used] > 0))


# ---------------------------------------------------------------------- what the policy says


def test_it_is_asked_about_the_decisions_visited_most_once_each_in_calls_of_one_size():
    opinion = Opinion()
    tree = searched(8 * SIMULATIONS_PER_CALL, opinion)
    assert [len(games) for games in opinion.asked] == [8] * 8
    asked = [game.tobytes() for games in opinion.asked for game in games.state]
    assert len(set(asked)) == len(asked)
    assert set(asked) == {tree.games[node].tobytes() for node in decisions(tree) if not tree.is_unevaluated[node]}
    unasked = decisions(tree)[tree.is_unevaluated[decisions(tree)]]
    assert len(unasked) > len(asked)
    assert np.median(tree.visit_counts[unasked]) == 1
    assert tree.visit_counts[unasked].max() < tree.visit_counts[0] / 4


def test_it_is_asked_about_nothing_that_can_no_longer_be_reached():
    opinion, games = Opinion(), mid_game(1)
    tree, leaf_evaluator = new_tree(4000), new_leaf_evaluator(games.ruleset)
    tree.games[:1] = games.state
    tree.used[:] = (1, 0)
    guide = GuidedSearch(opinion, games.ruleset)
    guide.simulate(tree, leaf_evaluator, 10 * SIMULATIONS_PER_CALL)
    below = decisions(tree)
    tree.root[0] = below[below > 0][np.argmax(tree.visit_counts[below[below > 0]])]
    above = tree.visit_counts[0]
    opinion.asked.clear()
    guide.simulate(tree, leaf_evaluator, 10 * SIMULATIONS_PER_CALL)
    assert tree.visit_counts[0] == above  # what happens below a root is not told above it
    asked = {game.tobytes() for games in opinion.asked for game in games.state}
    for node in range(tree.used[0]):
        if tree.games[node].tobytes() in asked:
            while node != tree.root[0]:
                node = tree.parents[node]
                assert node >= tree.root[0]


def test_visits_and_values_still_add_up():
    tree = searched(200, Opinion())
    used = tree.used[0]
    assert tree.visit_counts[0] == 200
    assert np.allclose(tree.value_sums[:used, :4].sum(axis=1), tree.visit_counts[:used])
    for node in decisions(tree):
        edges = slice(tree.first_edge[node], tree.first_edge[node] + tree.num_edges[node])
        assert tree.priors[edges].sum() == pytest.approx(1)
        assert tree.advantages[edges].max() == 0


def test_the_critic_changes_what_a_position_is_worth():
    without, with_policy = (searched(100, evaluator).value_sums[0] / 100 for evaluator in (None, Opinion()))
    assert with_policy[2] > without[2] + 0.05
    assert (with_policy[[0, 1, 3]] < without[[0, 1, 3]]).all()


def test_the_policy_changes_where_the_search_looks():
    without, with_policy = (searched(SIMULATIONS_PER_CALL, evaluator) for evaluator in (None, Opinion()))
    revised = decisions(with_policy)[~with_policy.is_unevaluated[decisions(with_policy)]]
    assert revised[0] == 0  # the root
    for node in revised[with_policy.num_edges[revised] > 1]:
        edges = slice(with_policy.first_edge[node], with_policy.first_edge[node] + with_policy.num_edges[node])
        assert with_policy.priors[edges][-1] > without.priors[edges][-1]


def test_a_full_tree_stops():
    games = mid_game(1)
    tree, leaf_evaluator = new_tree(50), new_leaf_evaluator(games.ruleset)
    tree.games[:1] = games.state
    tree.used[:] = (1, 0)
    assert GuidedSearch(Opinion(), games.ruleset).simulate(tree, leaf_evaluator, 500) < 500
    assert tree.used[0] <= len(tree.games)


# ---------------------------------------------------------------------- what it plays


@pytest.mark.filterwarnings("ignore:.*was trained on")  # some of the positions have changed rules
@pytest.mark.parametrize("name", DECISIVE)
def test_what_wins_at_once_is_found_whatever_the_policy_thinks(name: str, policy_file: Path):
    position, wanted = DECISIVE[name]()
    action = guided(policy_file, sims=300).act(position.games, np.zeros(1, np.int64))[0]
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
    assert played(guided(policy_file, seed=1, sims=40), mid_game(), 12) != first
    alone = [played(guided(policy_file, sims=40), mid_game().copy([row]), 12) for row in range(6)]
    assert [[actions[step][0] for actions in alone] for step in range(12)] == first


def test_budgets_are_kept(policy_file: Path):
    agent = guided(policy_file, sims=70)
    agent.act(mid_game(1), np.zeros(1, np.int64))
    assert agent._trees[0, 0].visit_counts[0] == 70
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
