"""The policies that come with the package: one for each kind of table, chosen by the games."""

import json
import shutil

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.policies import shipped as default_policies
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_agents.policies.files import read_policy, read_provenance, write_policy
from ursuppe_agents.policies.shipped import default_policies as shipped_files
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_env.teams import DUEL, Teams
from ursuppe_training.config import read_config
from ursuppe_training.evaluation.evaluate import evaluate_policy, read_evaluation
from ursuppe_training.evaluation.history import read_history
from ursuppe_training.exploit.evaluated import evaluated_agent
from ursuppe_training.provenance import settings_digest

from support.policies import SMALL, ship

ROWS = np.arange(20)


def games_of(players):
    return Games(20, Ruleset(players=players), seed=players)


def drawn(policy, players, temperature=SMALL.temperature, **parameters):
    agent = PolicyAgent(np.random.default_rng(3), weights=policy.weights(), temperature=temperature, **parameters)
    return agent(games_of(players), ROWS)


def test_the_policies_of_one_run_to_learn_from_are_there_in_the_order_of_what_they_learned():
    learned = [read_provenance(default_policies.policy_path(f"replay-{number}")).decisions for number in range(1, 11)]
    assert learned == sorted(learned)
    assert [round(decisions / 1e6) for decisions in learned] == [*range(1, 11)]


def test_default_is_the_policy_for_as_many_players_as_the_games_have(tmp_path, monkeypatch):
    shipped = ship("3 4 6 duel", tmp_path, monkeypatch)
    for players in (3, 4, 6):
        chosen = make_agent("policy:default", 3)(games_of(players), ROWS)
        np.testing.assert_array_equal(chosen, drawn(shipped[str(players)], players))
    agent = make_agent("policy:default,deterministic=true", 3)  # one agent at several kinds of table
    assert agent.deterministic
    for players in (6, 3, 6):
        expected = drawn(shipped[str(players)], players, deterministic=True)
        np.testing.assert_array_equal(agent(games_of(players), ROWS), expected)


def test_the_policy_for_the_duel_has_a_name_of_its_own(tmp_path, monkeypatch):
    shipped = ship("4 duel", tmp_path, monkeypatch)
    chosen = make_agent("policy:duel", 3)(games_of(4), ROWS)
    np.testing.assert_array_equal(chosen, drawn(shipped["duel"], 4))
    assert (chosen != drawn(shipped["4"], 4)).any()
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 5"):
        make_agent("policy:duel", 3)(games_of(5), ROWS)


@pytest.mark.parametrize(
    ("names", "spec", "players", "missing", "there"),
    [
        ("3 4 duel", "default", 5, " for 5 players", "policy:default for 3, 4 players and policy:duel"),
        ("6", "duel", 4, "", "policy:default for 6 players"),
        ("duel", "default", 4, " for 4 players", "policy:duel"),
        ("", "default", 4, " for 4 players", "no trained policy"),
    ],
)
def test_it_is_said_for_which_tables_there_are_some(names, spec, players, missing, there, tmp_path, monkeypatch):
    ship(names, tmp_path, monkeypatch)
    says = f"^policy:{spec} is not there{missing}: this installation of ursuppe-env has {there}$"
    with pytest.raises(ValueError, match=says):
        make_agent(f"policy:{spec}", 0)(games_of(players), ROWS)


def test_it_draws_at_the_temperature_of_each_file_or_at_its_own(tmp_path, monkeypatch):
    shipped = ship("3 4", tmp_path, monkeypatch)
    saved = read_policy(tmp_path / "3.zip")
    write_policy(tmp_path / "3.zip", saved._replace(temperature=2.0))
    for spec, temperatures in (
        ("policy:default", (2.0, SMALL.temperature)),
        ("policy:default,temperature=1", (1.0, 1.0)),
    ):
        for players, temperature in zip((3, 4), temperatures, strict=True):
            expected = drawn(shipped[str(players)], players, temperature=temperature)
            np.testing.assert_array_equal(make_agent(spec, 3)(games_of(players), ROWS), expected)


def test_it_judges_positions_of_any_table(tmp_path, monkeypatch):
    shipped = ship("3 5", tmp_path, monkeypatch)
    evaluator = make_agent("policy:default", 0)
    assert isinstance(evaluator, Evaluator)
    for players in (3, 5):
        games = games_of(players)
        policy = PolicyAgent(np.random.default_rng(0), weights=shipped[str(players)].weights())
        np.testing.assert_array_equal(evaluator.priors(games, ROWS), policy.priors(games, ROWS))
        np.testing.assert_array_equal(evaluator.values(games, ROWS), policy.values(games, ROWS))
    searching = make_agent("search:sims=40,policy=default", 0)
    assert searching(games_of(5).copy([0]), np.zeros(1, np.int64)).shape == (1,)


def test_it_is_exploited_at_every_table(tmp_path, monkeypatch):
    ship("3 5", tmp_path, monkeypatch)
    for players in (3, 5):
        for spec in ("policy:default", "search:policy=default"):
            assert evaluated_agent(spec, players=players).policy == tmp_path / f"{players}.zip"


def test_evaluate_takes_the_one_for_so_many_players_and_4_if_none_are_given(tmp_path, monkeypatch, capsys):
    ship("4 5", tmp_path, monkeypatch)

    def printed(*arguments):
        assert run_command(["evaluate", *arguments, "--against", "random", "--games", "8", "--workers", "1"]) == 0
        return capsys.readouterr().out

    assert printed("policy:default") == printed(str(tmp_path / "4.zip"))
    assert "one against 4;" in printed("policy:default", "--players", "5")
    assert printed("policy:default", "--players", "5") == printed(str(tmp_path / "5.zip"))
    assert run_command(["evaluate", str(tmp_path / "5.zip"), "--players", "4"]) == 2
    assert "players is 4, but " in capsys.readouterr().err
    assert run_command(["evaluate", "policy:default", "--players", "3"]) == 2
    assert capsys.readouterr().err.startswith("ursuppe: policy:default is not there for 3 players: ")


@pytest.mark.parametrize("name", shipped_files())
def test_a_policy_of_the_package_is_for_its_table_beats_scripted_strategies_and_says_where_it_is_from(
    name, tmp_path, monkeypatch
):
    file, folder = shipped_files()[name], default_policies.FOLDER / name
    shutil.copy(file, tmp_path / "initial.zip")  # that a run began with another policy is in its settings
    monkeypatch.chdir(tmp_path)
    config, provenance = read_config(str(folder / "config.toml")), read_provenance(file)
    assert provenance.settings == settings_digest(config)
    assert provenance.players == config.players == (4 if name == default_policies.DUEL else int(name))
    assert provenance.partition == (Teams(DUEL) if name == default_policies.DUEL else None)
    assert provenance.decisions in [win_rate.step for win_rate in read_history(folder / "evaluations.jsonl")]
    assert provenance.commit == json.loads((folder / "provenance.json").read_text())["commit"]
    assert file.stat().st_size < 500_000
    reported = {one.opponent: one.win_rate.estimate for one in read_evaluation(folder / "evaluation.json").results}
    for opponent in ("hunter", "breeder"):
        rules, teams = Ruleset(players=config.players), provenance.partition
        for result in evaluate_policy(file, [opponent], 100, seed=3, ruleset=rules, teams=teams).results:
            assert result.win_rate.estimate == pytest.approx(reported[opponent], abs=0.15)
