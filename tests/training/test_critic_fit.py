"""A critic of its own, fitted to the games of a finished policy."""

import zipfile

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.policies.board.inputs import board_inputs
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_agents.policies.board.weights import WIN, critic_shapes
from ursuppe_agents.policies.files import SavedPolicy, read_policy, read_provenance, write_policy
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Ruleset
from ursuppe_env.rules.state import STATE
from ursuppe_lab.benchmark import entry_digest
from ursuppe_lab.jobs.folder import origin_of
from ursuppe_training.critics import fit as critic_fit
from ursuppe_training.critics import positions as critic_positions
from ursuppe_training.critics.fit import fit_critic
from ursuppe_training.critics.positions import play_positions
from ursuppe_training.networks.averaging import average_policies
from ursuppe_training.networks.board import board_tensors
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.provenance import provenance_of

from support.command import printed, refusal
from support.policies import NARROW, SMALL, random_policy
from support.training import under_way

AT_ONCE = 32
IN_TEAMS = SMALL.changed({"teams": "0+2,1+3"})


@pytest.fixture(scope="module", autouse=True)
def _small_batches():
    with pytest.MonkeyPatch.context() as patch:
        for module in (critic_fit, critic_positions):
            patch.setattr(module, "GAMES_AT_ONCE", AT_ONCE)
        patch.setattr(critic_fit, "_BATCH", 256)
        patch.setattr(critic_fit, "_WARM_UP", 5)
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("critics") / "policy.zip"
    save_policy(random_policy(), SMALL, path, provenance_of(SMALL, 1_000), temperature=0.5)
    return path


@pytest.fixture(scope="module")
def fitted(file):
    """The policy with a critic that was fitted to 96 games, and what came of that."""
    out = file.with_name("fitted.zip")
    return out, fit_critic(file, out, 3 * AT_ONCE + 7, threads=1)


def test_the_new_critic_knows_better_who_wins_and_the_actions_stay(file, fitted):
    out, fit = fitted
    assert fit.after < fit.before - 0.1
    games = under_way(40, 60)
    rows = np.arange(len(games))
    before, after = (make_agent(f"policy:{path}", 5) for path in (file, out))
    np.testing.assert_array_equal(before(games, rows), after(games, rows))
    np.testing.assert_array_equal(before.priors(games, rows), after.priors(games, rows))
    assert (before.values(games, rows) != after.values(games, rows)).any()
    np.testing.assert_allclose(after.values(games, rows).sum(axis=1), 1)
    assert fit.provenance == read_provenance(out)
    assert fit.provenance.critic_games == 3 * AT_ONCE
    assert fit.provenance.in_words().endswith("; a critic of its own, fitted to 96 games")
    assert read_policy(out).temperature == 0.5


def test_threads_do_not_change_it(file, fitted, tmp_path):
    fit_critic(file, tmp_path / "by-two.zip", 3 * AT_ONCE, threads=2)
    assert (tmp_path / "by-two.zip").read_bytes() == fitted[0].read_bytes()


@pytest.mark.parametrize("config", [SMALL, IN_TEAMS, SMALL.changed({"players": 3, "rulesets": "varied"})])
def test_positions_are_the_beginnings_of_rounds_and_some_between_with_what_became_of_the_seats(config):
    agents = [make_agent(name, 0) for name in ("breeder", "grow", *["random"] * 4)]
    rulesets = [config.ruleset, Ruleset(players=config.players, edition="1997")]
    found = play_positions(agents, rulesets, config.partition, seed=1)
    states = found.states.view(STATE)[:, 0]
    of_game = states["index"]
    assert set(states["ruleset"]) == {0, 1}
    for game in range(AT_ONCE):
        rounds = states["round"][of_game == game]
        assert set(range(1, rounds.max() + 1)) <= set(rounds)
    begins = len(np.unique(np.stack([of_game, states["round"]]), axis=1).T)
    assert begins < len(states) < 2.5 * begins
    wins = found.outcomes[:, :, WIN]
    np.testing.assert_allclose(wins.sum(axis=1), 1)
    assert set(wins.ravel()) == ({0.0, 1.0} if config.partition is None else {0.0, 0.5})
    np.testing.assert_allclose(found.outcomes[:, :, 1:].sum(axis=1), 0, atol=1e-5)
    seats = (states["player"][:, None] + np.arange(config.players)) % config.players
    from_first = np.zeros_like(wins)
    np.put_along_axis(from_first, seats, wins, axis=1)
    for game in range(AT_ONCE):  # whoever looks, the same seats have won
        assert len(np.unique(from_first[of_game == game], axis=0)) == 1


def test_its_chances_are_those_of_its_layers_in_torch(file, fitted):
    weights = read_policy(fitted[0]).weights
    games = under_way(40, 60)
    critic = load_policy(file)
    critic.take(weights.arrays | weights.critic)
    tensors = board_tensors(board_inputs(games, actions_too=False), standardised_rules(games.rulesets))
    expected = critic.scores(tensors)[:, :, WIN].softmax(dim=1).detach().numpy()
    found = BoardNetwork(weights).chances(games, np.arange(len(games)))
    seen = np.take_along_axis(found, (games.player[:, None] + np.arange(4)) % 4, axis=1)
    np.testing.assert_allclose(seen, expected, atol=0.02)


def test_who_plays_by_the_policy_stays_the_same_player_and_a_search_does_not(file, fitted):
    out, _ = fitted
    assert entry_digest(f"policy:{out}", 4) == entry_digest(f"policy:{file}", 4)
    searches = [entry_digest(f"search:sims=4,policy={path}", 4) for path in (file, out)]
    assert searches[0] != searches[1]
    before, after = (origin_of(f"policy:{path}", 4) for path in (file, out))
    assert before.digest == before.actor == after.actor != after.digest == file_digest(out)


def test_it_can_be_fitted_anew_and_a_mean_has_none(fitted, tmp_path):
    again = tmp_path / "again.zip"
    assert fit_critic(fitted[0], again, AT_ONCE, threads=1).provenance.critic_games == AT_ONCE
    save_policy(random_policy(seed=1), SMALL, tmp_path / "other.zip", provenance_of(SMALL, 10))
    mean = average_policies([again, tmp_path / "other.zip"], tmp_path / "mean.zip")
    assert mean.critic_games == 0
    assert read_policy(tmp_path / "mean.zip").weights.critic is None


def test_a_file_with_a_critic_says_so_and_has_all_of_it(fitted, tmp_path):
    out, _ = fitted
    saved = read_policy(out)
    assert set(saved.weights.critic) == set(critic_shapes(NARROW))
    silent = saved.provenance.changed({"critic_games": 0})
    with pytest.raises(ValueError, match="critic_games must be more than 0 if a policy has a critic of its own"):
        write_policy(tmp_path / "silent.zip", SavedPolicy(saved.weights, silent, 1.0))
    with zipfile.ZipFile(out) as archive:
        assert sum(name.startswith("critic.") for name in archive.namelist()) == len(critic_shapes(NARROW))


def test_the_command_fits_one(file, fitted, tmp_path, capsys):
    expected, fit = fitted
    out = tmp_path / "by-command.zip"
    said = printed(capsys, "critic", file, "--out", out, "--games", f"{3 * AT_ONCE}", "--threads", "1")
    assert out.read_bytes() == expected.read_bytes()
    assert f"other positions: {fit.before:.4f} -> {fit.after:.4f}" in said
    assert "a critic of its own, fitted to 96 games" in said


def test_what_cannot_be_fitted_is_refused_and_nothing_is_written(file, tmp_path, capsys):
    for arguments, message in (
        ([file, "--games", "31"], "games is 31; it must be at least 32"),
        ([tmp_path / "nothing.zip"], "nothing.zip: No such file"),
        ([file, "--out", tmp_path / "no" / "out.zip"], "no/out.zip: there is no folder "),
    ):
        assert message in refusal(capsys, "critic", "--out", tmp_path / "out.zip", *arguments)
    assert not (tmp_path / "out.zip").exists()
