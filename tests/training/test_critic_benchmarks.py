"""The benchmarks of critics look at the games that they say; how well a critic foretells is not asked here."""

import importlib
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.files import read_policy
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Games
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.networks.seat_critic import SeatCritic, critic_losses

from support.policies import SMALL, random_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTED = ("hunter", "breeder", "hoarder", "collector")


@pytest.fixture
def benchmark_named(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module


def test_games_are_played_to_their_end_and_positions_are_looked_at_on_the_way(benchmark_named):
    played = benchmark_named("critic_tables").played
    games = Games(8, seed=1)
    looked_at = list(played(games, SCRIPTED, "default", None, part=0.1, seed=2))
    assert games.finished.all()
    assert {row for index, _ in looked_at for row in index} == set(range(8))
    assert not any(seen.finished.any() for _, seen in looked_at)
    again = Games(8, seed=1)
    for (index, seen), (same_index, same) in zip(
        looked_at, played(again, SCRIPTED, "default", None, part=0.1, seed=2), strict=True
    ):
        np.testing.assert_array_equal(index, same_index)
        np.testing.assert_array_equal(seen.markers, same.markers)


def test_who_plays_a_team_plays_all_its_seats_and_knows_it(benchmark_named, monkeypatch):
    critic_tables = benchmark_named("critic_tables")
    teams, asked = Teams(DUEL), []

    class Likes:
        def __init__(self, spec):
            self.spec, self.teams = spec, None

        def act(self, games, rows):
            assert self.teams == teams
            asked.append((self.spec, rows % 2, teams.team_of[games.player[rows]]))
            return games.copy(rows).legal().argmax(axis=1)

    monkeypatch.setattr(critic_tables, "make_agent", lambda spec, seed: Likes(spec))
    for _ in critic_tables.played(Games(4, seed=1), (critic_tables.LIKELIEST, "greedy"), "duel", teams, 0.5, seed=2):
        pass
    assert {spec for spec, *_ in asked} == {"policy:model=duel,deterministic=true", "greedy"}
    for spec, odd_rows, team in asked:
        np.testing.assert_array_equal(team, odd_rows if spec != "greedy" else 1 - odd_rows)


@pytest.mark.parametrize("players", [3, 6])
def test_critics_are_measured_at_every_table(players, benchmark_named, monkeypatch, capsys):
    critic = benchmark_named("critic")
    arguments = ["critic.py", "default", "--players", str(players), "--games", "3", "--varied"]
    monkeypatch.setattr("sys.argv", arguments)
    critic.main()
    printed = capsys.readouterr().out
    assert printed.count("from 7 on") == len(critic.tables(players)) == 5


def test_knowing_nothing_is_wrong_by_as_much_as_the_benchmark_says(benchmark_named):
    critic = benchmark_named("critic")
    for teams, expected in ((None, 0.75), (Teams(DUEL), 0.25)):
        won = critic.outcomes_of(_over(), np.arange(6), teams)[:, 0, :, critic.WIN]
        np.testing.assert_allclose(((0.25 - won) ** 2).sum(axis=1), expected)


def _over():
    games = Games(6, seed=3)
    while not games.finished.all():
        games.step(np.where(games.finished, -1, games.legal().argmax(axis=1)))
    return games


@pytest.mark.parametrize("rulesets", ["given", "varied"])
def test_a_critic_is_fitted_and_the_actor_stays_as_it_is(rulesets, benchmark_named, monkeypatch, tmp_path):
    critic_fit = benchmark_named("critic_fit")
    config = SMALL.changed({"rulesets": rulesets, "observe_rules": rulesets == "varied"})
    save_policy(random_policy(config), config, tmp_path / "before.zip", temperature=0.5)
    monkeypatch.setattr(critic_fit, "tables", lambda sides: [SCRIPTED])
    monkeypatch.setattr(critic_fit.torch, "set_num_threads", lambda threads: None)  # other tests go on
    arguments = ["critic_fit.py", str(tmp_path / "before.zip"), str(tmp_path / "after.zip"), "--games", "60"]
    monkeypatch.setattr("sys.argv", arguments)
    critic_fit.main()
    before, after = (load_policy(tmp_path / f"{name}.zip")[0] for name in ("before", "after"))
    saved = read_policy(tmp_path / "after.zip")
    assert saved.temperature == 0.5
    for name, weights in after.actor.state_dict().items():
        assert torch.equal(weights, before.actor.state_dict()[name])

    games = Games(60, saved.provenance.played, seed=99)
    looked = critic_fit.played(games, SCRIPTED, "default", None, 0.02, 5)
    view = critic_fit.InputsView(config.observe_rules)
    features, situation, outcomes = map(torch.from_numpy, critic_fit.seen_in(games, looked, None, view, after))
    views = saved.provenance.critic_fitted_to
    assert views > 0
    assert saved.provenance.in_words().endswith(
        f"; the critic of policy {file_digest(tmp_path / 'before.zip')} fitted to {views:,} views of positions"
    )
    losses = [
        critic_losses(policy.critic(features.float(), situation.float()), outcomes).mean() for policy in (before, after)
    ]
    assert losses[1] < losses[0]
    assert (outcomes[:, :, 0].sum(dim=1) == 1).all()  # one player wins


def test_a_part_of_the_weights_before_is_kept(benchmark_named, monkeypatch):
    critic_fit = benchmark_named("critic_fit")
    generator = torch.Generator().manual_seed(0)
    features, situation = torch.randn(256, 4, 5, generator=generator), torch.randn(256, 3, generator=generator)
    outcomes = torch.nn.functional.one_hot(torch.arange(256) % 4)[:, :, None].expand(-1, -1, 3).float()
    fitted = {}
    for kept in (0.0, 0.25, 1.0):
        torch.manual_seed(0)
        critic = SeatCritic(4, 5, 3, 8)
        before = torch.nn.utils.parameters_to_vector(critic.parameters()).clone()
        monkeypatch.setattr(critic_fit, "_KEPT", kept)
        critic_fit.fit(critic, features, situation, outcomes)
        fitted[kept] = torch.nn.utils.parameters_to_vector(critic.parameters())
    assert torch.equal(fitted[1.0], before)
    assert not torch.allclose(fitted[0.0], before)
    torch.testing.assert_close(fitted[0.25], 0.25 * before + 0.75 * fitted[0.0])
