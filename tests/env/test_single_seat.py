"""One learner among opponents: the Gymnasium environments for one game and for many."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, FlattenObservation, NormalizeObservation, RecordEpisodeStatistics

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.opponents import play_others
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv
from ursuppe_env.records import record_games
from ursuppe_env.render.screen import Screen
from ursuppe_env.teams import DUEL, SCORES, Teams

from support.choices import choose

ID = "ursuppe_env/Ursuppe-v0"


def play(env, steps, seed=0):
    """Yield what so many steps of a vector environment with random actions give."""
    choices = np.random.default_rng(seed)
    for _ in range(steps):
        yield env.step(choose(env.action_masks(), choices))


class Witness:
    """A random opponent that remembers for which seats or teams it acted, as seen from the learner."""

    def __init__(self, env):
        self.env, self.agent, self.places = env, make_agent("random", 3), set()

    def __call__(self, games, rows):
        side = np.arange(games.num_players) if self.env.teams is None else self.env.teams.team_of
        after = (side[games.player[rows]] - side[self.env.seats[rows]]) % (side.max() + 1)
        self.places.update(after.tolist())
        return self.agent(games, rows)


def is_illegal(games, rows):
    return np.full(len(rows), games.num_actions)


# ---------------------------------------------------------------------- conformance


@pytest.mark.parametrize(
    "options", [{}, {"teams": DUEL}, {"num_players": 3, "edition": "1997", "reward": "margin", "seat": 2}], ids=str
)
def test_gymnasium_checks_one_game(options, monkeypatch):
    monkeypatch.setattr(Screen, "show", lambda self, svg: None)  # "human" needs a display
    check_env(gymnasium.make(ID, **options).unwrapped)


def test_make_vec_gives_the_environment_for_many_games():
    env = gymnasium.make_vec(ID, num_envs=3, num_players=5, autoreset_mode="SameStep")
    assert isinstance(env, UrsuppeVectorEnv)
    assert (env.num_envs, env.games.num_players) == (3, 5)
    assert env.metadata["autoreset_mode"] is env.unwrapped.autoreset_mode is AutoresetMode.SAME_STEP
    assert UrsuppeVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert gymnasium.make_vec(ID).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert "vector_entry_point" in str(env.spec.kwargs)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("teams", [None, DUEL])
def test_one_row_gives_what_gymnasium_makes_of_the_environment_for_one_game(mode, teams):
    native = UrsuppeVectorEnv(1, teams=teams, autoreset_mode=mode)
    usual = SyncVectorEnv([lambda: UrsuppeEnv(teams=teams)], autoreset_mode=mode)
    given = [env.reset(seed=3) for env in (native, usual)]
    choices, ended = np.random.default_rng(0), 0
    while ended < 3:
        assert data_equivalence(*map(plain, given), exact=True)
        terminations = given[0][2] if len(given[0]) == 5 else np.zeros(1, bool)
        ended += terminations.sum()
        if mode is AutoresetMode.DISABLED and terminations.any():
            given = [env.reset(options={"reset_mask": np.array([True])}) for env in (native, usual)]
        else:
            actions = choose(native.action_masks(), choices)
            given = [env.step(actions) for env in (native, usual)]
            assert not given[0][3].any()


def plain(given):
    """The same with rewards as float64, as SyncVectorEnv has them."""
    return [np.float64(part) if isinstance(part, np.ndarray) and part.dtype == np.float32 else part for part in given]


def test_wrappers_of_gymnasium_work_on_it():
    env = RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=8, reward="rank"))
    env.reset(seed=1)
    ended = 0
    choices = np.random.default_rng(0)
    while ended < 10:
        _, rewards, terminations, _, infos = env.step(choose(env.unwrapped.action_masks(), choices))
        if terminations.any():
            np.testing.assert_allclose(infos["episode"]["r"][terminations], rewards[terminations], atol=1e-6)
            assert (infos["episode"]["l"][terminations] > 30).all()
            ended += terminations.sum()
    for wrapped in (NormalizeObservation, FlattenObservation):
        env = DictInfoToList(wrapped(gymnasium.make_vec(ID, num_envs=3)))
        _, infos = env.reset(seed=1)
        assert [info["action_mask"].any() for info in infos] == [True] * 3


# ---------------------------------------------------------------------- masks, rewards and the end


def test_a_mask_in_the_info_is_a_copy():
    env = UrsuppeEnv()
    _, info = env.reset(seed=1)
    legal = info["action_mask"].copy()
    info["action_mask"][:] = 1
    env.action_masks()[:] = True
    np.testing.assert_array_equal(env.action_masks(), legal)
    assert env.step(int(legal.argmin()))[4]["illegal_action"]


@pytest.mark.parametrize(
    ("kind", "players", "options"),
    [
        *(("win", 4, {}), ("rank", 3, {}), ("margin", 6, {})),
        *(("win", 4, {"teams": DUEL, "score": score}) for score in SCORES),
    ],
)
def test_the_learner_is_asked_for_its_decisions_and_gets_the_reward_of_every_game_that_ends(kind, players, options):
    # Every game is played again from its seed by the same actions: the learner's own and the opponents' own streams.
    env = UrsuppeVectorEnv(6, num_players=players, reward=kind, autoreset_mode="SameStep", **options)
    again = Games(6, Ruleset(players=players), seed=11)
    _, infos = env.reset(seed=11)
    teams, ended, choices = env.teams, 0, np.random.default_rng(4)
    side_of = np.arange(players) if teams is None else teams.team_of
    sides = side_of[env.seats]
    play_others(again, sides, teams=teams)
    for _ in range(200):
        seats = again.player
        np.testing.assert_array_equal(env.seats, seats)
        np.testing.assert_array_equal(infos["action_mask"], again.legal())
        np.testing.assert_array_equal(env.action_masks(), again.legal() == 1)
        assert env.action_masks().dtype == bool
        actions = choose(env.action_masks(), choices)
        assert env.action_space.contains(actions)
        _, rewards, terminations, _, infos = env.step(actions)
        again.step(actions)
        play_others(again, sides, teams=teams)
        np.testing.assert_array_equal(again.finished, terminations)
        all_rewards = final_rewards(kind, again.markers, again.ruleset, teams=teams)
        np.testing.assert_array_equal(rewards, np.where(terminations, all_rewards[np.arange(6), sides], 0))
        winner = again.winner if teams is None else teams.winner(again.markers)
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(all_rewards.sum(axis=1), 0, atol=1e-6)
        last = again.observe(seats)
        assert ("final_obs" in infos) == terminations.any()
        for row in np.flatnonzero(terminations):
            ended += 1
            np.testing.assert_array_equal(infos["final_obs"][row], last[row])
            assert infos["final_info"]["is_success"][row] == (winner[row] == sides[row])
            assert not infos["final_info"]["illegal_action"][row]
            if teams is not None:
                assert infos["final_info"]["seat"][row] == seats[row]
                assert infos["final_info"]["own_seats"][row].tolist() == teams.own_seats[seats[row]].tolist()
        again.reset(terminations)
        sides = side_of[env.seats]
        play_others(again, sides, teams=teams)
    assert ended > 5


@pytest.mark.parametrize(("side_of", "teams"), [((0, 1, 2, 3), None), ((0, 1, 0, 1), Teams(DUEL))])
def test_random_opponents_play_step_by_step_until_the_seat_or_any_of_the_team_decides(side_of, teams):
    together, by_hand = Games(30, seed=5), Games(30, seed=5)
    side_of, sides, asked = np.array(side_of), np.arange(30) % len(set(side_of)), set()
    for _ in range(100):
        play_others(together, sides, teams=teams)
        player = by_hand.player
        while len(rows := np.flatnonzero((player >= 0) & (side_of[player] != sides))):
            by_hand.step_random(rows)
            player = by_hand.player
        assert together.state.tobytes() == by_hand.state.tobytes()
        asked |= set(zip(sides.tolist(), player.tolist(), strict=True))
        together.step_random()
        by_hand.step_random()
    assert {(side_of[player], player) for player in range(4)} <= asked


def test_an_illegal_action_loses_the_game():
    env = UrsuppeEnv()
    before, info = env.reset(seed=1)
    state = env.games.state.copy()
    observation, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmin()))
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal_action"] is True
    assert info["is_success"] is False
    assert info["action_mask"].all()
    np.testing.assert_array_equal(observation, before)
    np.testing.assert_array_equal(env.games.state, state)
    with pytest.raises(ResetNeeded, match="game 0 has not begun, or is over"):
        env.step(0)
    _, info = env.reset()
    assert not info["action_mask"].all()
    assert not env.step(env.action_space.sample(info["action_mask"]))[2]


def test_the_end_tells_the_places_of_all_players_from_the_learner_on():
    env = UrsuppeEnv(seat=2)
    _, info = env.reset(seed=1)
    while "markers" not in info:
        info = env.step(int(info["action_mask"].argmax()))[4]
    assert info["markers"].tolist() == np.roll(env.games.markers[0], -2).tolist()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_an_illegal_action_loses_one_of_many_games(mode):
    env = UrsuppeVectorEnv(3, autoreset_mode=mode)
    env.reset(seed=1)
    actions = choose(env.action_masks(), np.random.default_rng(0))
    actions[1] = env.action_masks()[1].argmin()
    _, rewards, terminations, _, infos = env.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    final = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert final["illegal_action"].tolist() == final["_illegal_action"].tolist() == [False, True, False]
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(ResetNeeded, match="game 1"):
            env.step(actions)
        waiting = env.games.state[[0, 2]].copy()
        _, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
        np.testing.assert_array_equal(infos["_action_mask"], [False, True, False])
        np.testing.assert_array_equal(env.games.state[[0, 2]], waiting)
    actions = choose(env.action_masks(), np.random.default_rng(0))
    if mode is AutoresetMode.NEXT_STEP:
        actions[1] = -1  # is ignored
    _, rewards, terminations, *_ = env.step(actions)
    assert not rewards.any()
    assert not terminations.any()
    assert env.games.state["episode"].tolist() == [0, 1, 0]


# ---------------------------------------------------------------------- opponents and seats


@pytest.mark.parametrize("seat", [None, 1])
def test_opponents_sit_in_the_seats_after_the_learner(seat):
    env = UrsuppeVectorEnv(8, seat=seat)
    witnesses = [Witness(env) for _ in range(2)]
    env.opponent = [witnesses[0], None, witnesses[1]]
    env.reset(seed=1)
    for _ in play(env, 40):
        pass
    assert [witness.places for witness in witnesses] == [{1}, {3}]
    env.opponent = alone = Witness(env)
    for _ in play(env, 40):
        pass
    assert alone.places == {1, 2, 3}
    assert seat is None or (env.seats == seat).all()


def test_the_learner_is_asked_for_all_colours_of_its_team_and_opponents_for_theirs():
    env = UrsuppeVectorEnv(8, num_players=6, teams=((5, 0), (1, 4), (2, 3)))
    env.opponent = [Witness(env), Witness(env)]
    env.reset(seed=0)
    met = set()
    for _ in play(env, 100):
        np.testing.assert_array_equal(env.seats, env.games.player)
        met.update(env.seats.tolist())
    assert [witness.places for witness in env.opponent] == [{1}, {2}]
    assert met == set(range(6))


def test_an_opponent_cannot_play_on_in_the_games_that_it_is_asked_about():
    env = UrsuppeVectorEnv(3, opponent=lambda games, rows: games.step_random(rows))
    with pytest.raises(RuntimeError, match=r"must leave the games .* as they are; it can try actions in a copy"):
        env.reset(seed=1)
    UrsuppeVectorEnv(3, opponent=lambda games, rows: games.copy(rows).step_random()).reset(seed=1)
    with pytest.raises(RuntimeError, match="an agent must leave the games"):
        next(record_games(1, players=[lambda games, rows: games.step_random(rows)] * 4))


def test_an_opponent_that_changes_its_rows_decides_for_nobody_else():
    def honest(games, rows):
        return games.copy(rows).legal().argmax(axis=1)

    def thief(games, rows):
        actions = honest(games, rows)
        rows[:] = np.flatnonzero(games.player >= 0)[::-1][: len(rows)]
        return actions

    expected, found = (UrsuppeVectorEnv(8, opponent=opponent) for opponent in (honest, thief))
    for env in (expected, found):
        env.reset(seed=1)
    np.testing.assert_array_equal(found.games.state, expected.games.state)
    assert list(record_games(2, players=[thief] * 4)) == list(record_games(2, players=[honest] * 4))


def test_a_list_of_opponents_that_grows_changes_no_seats():
    opponents = [None, None, None]
    env = UrsuppeVectorEnv(2, opponent=opponents)
    opponents.append(None)
    assert len(env.opponent) == 3


def test_a_list_of_random_opponents_is_one():
    one, other = UrsuppeVectorEnv(6, num_players=3), UrsuppeVectorEnv(6, num_players=3, opponent=[None, None])
    assert data_equivalence(one.reset(seed=1), other.reset(seed=1))
    assert all(data_equivalence(a, b) for a, b in zip(play(one, 150), play(other, 150), strict=True))


def test_the_seat_is_drawn_for_each_game():
    env = UrsuppeVectorEnv(400, num_players=5)
    env.reset(seed=9)
    assert np.bincount(env.seats, minlength=5).min() > 50
    for row in range(7, 12):  # whatever the others are
        alone = UrsuppeEnv(num_players=5)
        alone.games.reset(index=[row])
        alone.reset(seed=9)
        assert alone.seats[0] == env.seats[row]
    before = env.seats.copy()
    env.reset()
    assert 280 < (env.seats != before).sum() < 360
    env.seat = 3
    env.reset()
    assert (env.seats == 3).all()


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("opponent", [is_illegal, [None, is_illegal, None]], ids=["one", "three"])
def test_an_illegal_opponent_is_named_and_the_games_must_begin_anew(opponent, mode):
    env = UrsuppeVectorEnv(8, autoreset_mode=mode)
    env.reset(seed=1)
    env.opponent = opponent
    with pytest.raises(ValueError, match=r"opponent <function is_illegal .*game \d+: action 151 \(out of range\)"):
        for _ in play(env, 40):
            pass
    env.opponent = None
    with pytest.raises(ResetNeeded):
        env.step(env.action_masks().argmax(axis=1))
    env.reset(seed=1)
    env.step(env.action_masks().argmax(axis=1))


def test_the_error_of_an_opponent_is_passed_on():
    def fails(games, rows):
        raise KeyError("no plan")

    with pytest.raises(KeyError, match="no plan"):
        UrsuppeEnv(seat=0, opponent=fails).reset(seed=1)


# ---------------------------------------------------------------------- pictures


def test_pictures():
    env = UrsuppeEnv(render_mode="ansi", seat=2)
    _, info = env.reset(seed=1)
    env.step(env.action_space.sample(info["action_mask"]))
    assert "island" in env.render()
    picture = UrsuppeEnv(render_mode="rgb_array").render()
    assert (picture.ndim, picture.shape[2], picture.dtype) == (3, 3, np.uint8)
    pictures = UrsuppeVectorEnv(3, render_mode="ansi").render()
    assert len(pictures) == 3
    assert all("island" in picture for picture in pictures)
    with pytest.raises(ValueError, match="render_mode is None"):
        UrsuppeEnv().render()
    with pytest.raises(ValueError, match="with render_mode='rgb_array' or 'ansi' to draw it"):
        UrsuppeVectorEnv(2).render()


def test_human_rendering_shows_every_step(monkeypatch):
    shown = []
    monkeypatch.setattr(Screen, "show", lambda self, svg: shown.append(svg))
    env = UrsuppeEnv(render_mode="human")
    _, info = env.reset(seed=1)
    for _ in range(3):
        *_, info = env.step(env.action_space.sample(info["action_mask"]))
    assert len(shown) == 4 == len(set(shown))
    env.close()


# ---------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reset_mask": [True, False]}, "reset_mask.* has shape .* \\(3,\\) bool"),
        ({"reset_mask": np.ones(3, int)}, "reset_mask.* dtype int64"),
        ({"reset_mask": np.array([True, False, True])}, "none has begun; the first reset begins all"),
    ],
)
def test_a_wrong_reset_mask_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        UrsuppeVectorEnv(3).reset(seed=1, options=options)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_step_needs_a_reset(mode):
    with pytest.raises(ResetNeeded):
        UrsuppeVectorEnv(2, autoreset_mode=mode).step([0, 0])
    with pytest.raises(ResetNeeded):
        UrsuppeEnv().step(0)


def test_a_wrong_change_is_refused():
    env = UrsuppeEnv()
    for name, value in (("reward", "points"), ("seat", 9), ("opponent", "greedy")):
        before = getattr(env, name)
        with pytest.raises(ValueError, match=f"{name} is {value!r}"):
            setattr(env, name, value)
        assert getattr(env, name) is before
