"""Search by play-outs: legal, reproducible, blind to the real future, and right where a little thought decides."""

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from ursuppe_agents import make_agent
from ursuppe_agents.search.agent import SearchAgent, search_against
from ursuppe_agents.search.contest import Contest
from ursuppe_env import Games, Ruleset, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.teams import DUEL, Teams

from support.decisive import DECISIVE
from support.mid_game import mid_game
from support.policies import ship
from support.rulesets import SEEDS, examples, rulesets

ROW = np.zeros(1, np.int64)


class Guide:
    """A policy for which all actions are as likely, and who has more BP is likelier to win; it plays the first one."""

    def __init__(self) -> None:
        self.asked: list[np.ndarray] = []  # states that it judged, those of decisions and of the ends of play-outs

    def priors(self, games: Games, rows: np.ndarray) -> np.ndarray:
        self.asked.append(games.state[rows])
        legal = games.copy(rows).legal().astype(np.float64)
        return legal / legal.sum(axis=1, keepdims=True)

    def values(self, games: Games, rows: np.ndarray) -> np.ndarray:
        self.asked.append(games.state[rows])
        worth = np.exp(games.state["bp"][rows, : games.num_players] / 4)
        return worth / worth.sum(axis=1, keepdims=True)

    def act(self, games: Games, rows: np.ndarray) -> np.ndarray:
        return games.copy(rows).legal().argmax(axis=1)


def search(seed: int = 0, guide: Guide | None = None, **parameters: float | str) -> SearchAgent:
    agent = SearchAgent(np.random.default_rng(seed), **parameters)
    if guide is not None:
        agent.evaluator = guide
    return agent


def play_pass(guide: Guide, games: Games, tried: Contest, teams: Teams | None = None, others: Guide | None = None):
    """A pass of a search whose guide plays all seats, or by turns that of the search alone."""
    agent = search(guide=guide)
    agent.teams, agent._others = teams, others or guide
    return agent.go_on(games, tried)


def at(decision: Decision, actions: int = 2) -> Games:
    """A game at such a decision with so many actions or more."""
    games = Games(1, seed=3)
    while games.decision[0] != decision or games.legal()[0].sum() < actions:
        games.step(make_agent("greedy", 0).act(games, ROW))
    return games


def contest(games: Games, playouts: int = 64, priors: np.ndarray | None = None) -> Contest:
    return Contest(games.state, Guide().priors(games, ROW)[0] if priors is None else priors, 7, playouts)


@examples(15)
@given(rulesets(), SEEDS)
def test_it_is_legal_in_every_ruleset_and_changes_nothing(ruleset: Ruleset, seed: int):
    games = Games(2, ruleset, seed=seed)
    games.play_random(seed % 50)
    agent = search(sims=8, guide=Guide())
    for _ in range(6):
        rows = np.flatnonzero(games.player >= 0)
        before = games.state.tobytes()
        actions = agent.act(games, rows)
        assert games.state.tobytes() == before
        games.step(actions, rows)  # raises if illegal


@pytest.mark.parametrize("name", DECISIVE)
def test_what_wins_at_once_is_found(name: str):
    game, wanted = DECISIVE[name]()
    games = game.games
    texts = [games.actions.text(action, 0) for action in range(games.num_actions)]
    legal = np.flatnonzero(games.legal()[0])
    (winning, *_), losing = (
        [action for action in legal if texts[action].startswith(wanted) == wins] for wins in (True, False)
    )
    for action in losing:
        tried = contest(games, priors=np.bincount([winning, action, action], minlength=games.num_actions) / 3)
        while play_pass(Guide(), games, tried):
            pass
        assert tried.best == winning
        assert tried.values[:, 0].tolist() == [0, 1]


def test_where_the_policy_is_sure_nothing_is_played():
    games = mid_game(1)

    class Sure(Guide):
        def priors(self, games, rows):
            probabilities = super().priors(games, rows)
            return np.where(probabilities.cumsum(axis=1) == 1, 0.96, 0.04 * probabilities)

        def act(self, games, rows):
            pytest.fail("it is played on")

    assert games.legal()[0, search(sims=64, guide=Sure()).act(games, ROW)] == 1


@pytest.mark.parametrize(
    ("decision", "rounds"), [(Decision.START_PLACE, 1), (Decision.MOVE, 0), (Decision.BUY, 1), (Decision.DIVIDE, 1)]
)
def test_play_outs_end_with_this_round_or_the_next_and_many_with_one_more(decision: Decision, rounds: int):
    games = at(decision)
    few, many = contest(games, 63), contest(games, 64)
    for tried, more in ((few, 1), (many, 2)):
        guide = Guide()
        play_pass(guide, games, tried)
        (ends,) = guide.asked
        assert set(ends["round"]) == {games.rounds[0] + rounds + more}


def test_all_actions_have_the_same_dice_and_every_play_out_has_others():
    games, guide = at(Decision.DIVIDE, 4), Guide()
    tried = contest(games)
    while play_pass(guide, games, tried):
        pass
    keys = [set(ends["key"]) for ends in guide.asked]
    assert sum(map(len, keys)) == len(set.union(*keys)) == tried.values.shape[1] >= 4
    assert games.state["key"][0] not in set.union(*keys)


def test_a_chance_in_teams_is_that_of_all_seats_of_the_team():
    games, teams = at(Decision.MOVE), Teams(DUEL)
    alone, together = contest(games), contest(games)
    guide = Guide()
    play_pass(guide, games, alone)
    (ends,) = guide.asked
    play_pass(Guide(), games, together, teams)
    worth = np.exp(ends["bp"][:, :4] / 4)
    chances = worth / worth.sum(axis=1, keepdims=True)
    own = int(games.player[0])
    assert alone.values.ravel() == pytest.approx(chances[:, own])
    assert together.values.ravel() == pytest.approx(chances[:, own] + chances[:, (own + 2) % 4])


def test_others_play_their_seats_in_every_second_play_out_but_none_in_teams():
    games = at(Decision.DIVIDE)
    own = {int(games.player[0])}

    class Seated(Guide):
        def __init__(self):
            super().__init__()
            self.seats = set()

        def act(self, games, rows):
            self.seats |= {*zip(games.state["key"][rows].tolist(), games.player[rows].tolist(), strict=True)}
            return super().act(games, rows)

    others = Seated()
    assert play_pass(Guide(), games, contest(games), Teams(DUEL), others)
    assert not others.seats
    guide, tried = Seated(), contest(games)
    assert play_pass(guide, games, tried, None, others)
    keys = (tried.stream + np.uint64(0x9E3779B97F4A7C15) * np.arange(4, dtype=np.uint64)).tolist()
    assert {key for key, _ in others.seats} == {keys[1], keys[3]}
    assert {seat for _, seat in others.seats} == {0, 1, 2, 3} - own
    assert {seat for key, seat in guide.seats if key == keys[0]} == {0, 1, 2, 3}
    assert {seat for key, seat in guide.seats if key == keys[1]} == own


@pytest.mark.parametrize("playouts", [1, 2, 3, 4, 7, 16, 100])
def test_budgets_are_kept_and_halved(playouts: int):
    games = at(Decision.DIVIDE, 4)
    tried = contest(games, playouts)
    assert len(tried.actions) == min(playouts, 4)
    while wanted := tried.wanted:
        tried.add(np.tile(0.25, (len(tried.standing), wanted)))
    assert tried.visits.sum() <= playouts
    if playouts > 1:
        assert tried.visits.sum() > playouts - 4
        assert sorted(tried.visits, reverse=True) == tried.visits.tolist()  # equals: the likelier ones stay
    if playouts >= 16:
        assert tried.visits[1] >= 2 * tried.visits[2]
    assert tried.best == tried.actions[0]


def test_what_is_clear_is_over_soon():
    tried = contest(at(Decision.DIVIDE, 4), 1000)
    while wanted := tried.wanted:
        tried.add(np.repeat([[0.1], [0.6], [0.2], [0.1]], wanted, axis=1)[tried.standing])
    assert tried.best == tried.actions[1]
    assert tried.visits.sum() < 20


def test_likelier_actions_need_less_and_the_votes_begin_with_the_priors():
    games = at(Decision.DIVIDE, 4)
    priors = Guide().priors(games, ROW)[0]
    actions = np.flatnonzero(priors)[:3]
    priors[actions] *= (4, 0.5, 0.004)
    priors /= priors.sum()
    tried = contest(games, 64, priors)
    assert tried.actions[0] == actions[0]
    assert actions[2] not in tried.actions
    assert tried.votes(priors) == pytest.approx(priors)
    tried.add(np.full((len(tried.actions), 1), 0.3))
    assert tried.best == actions[0]
    values = np.full((len(tried.standing), 1), 0.3)
    values[1] = 0.5
    better = tried.actions[tried.standing[1]]
    tried.add(values)
    votes = tried.votes(priors)
    assert tried.best == votes.argmax() == better
    assert votes.sum() == pytest.approx(1)
    assert votes[actions[2]] == priors[actions[2]]


def test_another_seed_plays_out_with_other_dice():
    games = at(Decision.DIVIDE, 4)
    first, second, same = (search(seed, Guide(), sims=16).contest(games) for seed in (0, 1, 0))
    assert (first.values == same.values)[~np.isnan(first.values)].all()
    assert first.stream == same.stream != second.stream


def test_the_random_streams_of_the_real_game_make_no_difference(policy_file: Path):
    games = mid_game()
    other = games.copy(reseed=99)
    before, rows = games.state.tobytes(), np.arange(len(games))
    assert (games.state["key"] != other.state["key"]).all()
    first, second = (search(sims=16, policy=str(policy_file)).act(batch, rows).tolist() for batch in (games, other))
    assert first == second
    assert games.state.tobytes() == before


@pytest.mark.parametrize("ms", [1, 200])
def test_milliseconds_are_kept(ms: float):
    agent = make_agent(f"search:{ms}", 0)
    env = ursuppe_v0.env()
    env.reset(seed=2)
    agent.act_in(env)  # compiles
    began = time.monotonic()
    assert env.action_space(env.agent_selection).contains(agent.act_in(env))
    assert time.monotonic() - began < 2


def test_it_gets_ready_whatever_its_budget():
    agent = search(ms=3000)
    for _ in range(2):
        began = time.monotonic()
        agent.prepare(Games(1))
    assert time.monotonic() - began < 2.5


def test_default_is_the_policy_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ship("4", tmp_path, monkeypatch)
    games, rows = mid_game(), np.arange(6)
    default = make_agent("search:sims=8", 0)
    assert default.act(games, rows).tolist() == search(policy=str(tmp_path / "4.zip"), sims=8).act(games, rows).tolist()


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    missing = tmp_path / "none.zip"
    with pytest.raises(FileNotFoundError):
        search(policy=str(missing))
    assert run(["arena", "--agents", f"search:policy={missing},random", "--games", "4"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_against_an_agent_it_looks_ahead_with_the_likeliest_actions_of_that_agent_if_it_can():
    known = 'search:sims=1,others="policy:model=default,deterministic=true"'
    assert search_against("search:sims=1", "policy:default") == known
    assert search_against("search:sims=1,others=greedy", "hunter") == "search:sims=1,others=hunter"
    for draws in ("random", "my_bots:Bot"):
        assert search_against("search:sims=1", draws) == "search:sims=1"
    guided = search_against("search:sims=1", "hunter", policy="mine.zip")
    assert guided == "search:sims=1,policy=mine.zip,others=hunter"
