"""Training, evaluation, models on disk, and the commands for them."""

import contextlib
import io
import os
import re
import sys
import zipfile

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from ursuppe_agents import make_agent
from ursuppe_agents.statistics import bootstrap
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_env.envs.opponents import play_others
from ursuppe_training import quick
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation import Evaluation, evaluate
from ursuppe_training.models import load_policy, save_model
from ursuppe_training.policy_agent import PolicyAgent
from ursuppe_training.trainer import train

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

TINY = TrainingConfig(seed=3, steps=1000, envs=16, rollout=32, batch_size=128, epochs=1, layers=(16,))


def policy_agent(policy, seed=0, deterministic=False):
    return PolicyAgent(np.random.default_rng(seed), policy=policy, deterministic=deterministic)


@pytest.fixture(scope="module")
def model():
    return train(TINY)


@pytest.fixture(scope="module")
def model_file(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "model.zip"
    save_model(model, TINY, path)
    return path


def weights(policy):
    return {name: tensor.cpu().numpy() for name, tensor in policy.state_dict().items()}


def are_equal(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one | other)


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("players", 2),
        ("edition", "1999"),
        ("reward", "points"),
        ("seed", -1),
        ("seed", 2**32),
        ("steps", 0),
        ("steps", 1e6),
        ("envs", 0),
        ("envs", True),
        ("rollout", 1),
        ("batch_size", 1),
        ("epochs", 0),
        ("learning_rate", 0),
        ("learning_rate", float("nan")),
        ("learning_rate", "fast"),
        ("gamma", 1.1),
        ("gae_lambda", -0.1),
        ("clip_range", 0),
        ("entropy", -1),
        ("entropy", float("inf")),
        ("layers", (0,)),
        ("layers", [64]),
    ],
)
def test_a_wrong_setting_is_named(name, wrong):
    with pytest.raises(ValueError, match=rf"^{name} is {re.escape(repr(wrong))}"):
        TrainingConfig(**{name: wrong})


def test_steps_are_rounded_up_to_whole_updates():
    assert (TINY.updates, TINY.decisions) == (2, 1024)
    exact = TrainingConfig(steps=1024, envs=16, rollout=32)
    assert (exact.updates, exact.decisions) == (2, 1024)


# ---------------------------------------------------------------------- training


def test_the_same_settings_give_the_same_model(model):
    first = weights(model.policy)
    assert are_equal(first, weights(train(TINY).policy))
    other = TrainingConfig(**{**TINY.as_dict(), "layers": TINY.layers, "seed": 4})
    assert not are_equal(first, weights(train(other).policy))


def test_progress_is_told_to_the_end():
    seen = []
    train(TINY, on_progress=lambda decisions, won: seen.append((decisions, won)))
    assert [decisions for decisions, _ in seen] == list(range(16, 1025, 16))
    assert seen[0][1] is None
    assert seen[-1][1] is None or 0 <= seen[-1][1] <= 1


def test_it_trains_against_the_opponent_given():
    asked = set()
    agent = make_agent("random", 0)

    def opponent(games, rows):
        asked.update(rows.tolist())
        return agent(games, rows)

    train(TINY, opponent=opponent)
    assert asked == set(range(16))


def test_a_short_training_beats_chance_by_far():
    config = TrainingConfig(seed=1, steps=60_000, envs=64, rollout=64, batch_size=512, learning_rate=2e-3, layers=(64,))
    policy = train(config).policy
    result = evaluate(policy_agent(policy, deterministic=True), 400, seed=77)
    assert result.win_rate.low > 0.3


# ---------------------------------------------------------------------- agents


def test_a_policy_agent_takes_legal_actions_and_its_own_draws(model):
    games = Games(40, seed=2)
    games.play_random(70)
    rows = np.flatnonzero(~games.finished)[::-1]
    drawn = [policy_agent(model.policy, seed)(games, rows) for seed in (1, 1, 2)]
    assert games.legal()[rows, drawn[0]].all()
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    masks, observations = games.legal(), games.observe()
    likeliest, _ = model.predict(observations[rows], action_masks=masks[rows], deterministic=True)
    np.testing.assert_array_equal(policy_agent(model.policy, deterministic=True)(games, rows), likeliest)


def test_a_saved_policy_is_an_agent_with_a_code(model, tmp_path):
    path = tmp_path / "model.zip"
    save_model(model, TINY, path)
    games = Games(40, seed=2)
    rows = np.arange(40)
    agent = make_agent(f"policy:{path}", 3)
    np.testing.assert_array_equal(agent(games, rows), policy_agent(model.policy, 3)(games, rows))
    assert not agent.deterministic
    agent = make_agent(f"policy:{path},deterministic=true", 3)
    np.testing.assert_array_equal(agent(games, rows), policy_agent(model.policy, deterministic=True)(games, rows))
    assert agent.deterministic
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
        agent(Games(1, Ruleset(players=3)), np.arange(1))


# ---------------------------------------------------------------------- evaluation


@pytest.mark.parametrize("players", [3, 4])
def test_evaluation_plays_each_seed_once_in_each_seat(players):
    ruleset = Ruleset(players=players)
    num_games = 10 * players
    acted = {row: set() for row in range(num_games)}
    keys = {}

    def agent(games, rows):
        for row in rows.tolist():
            acted[row].add(int(games.player[row]))
            keys[row] = (int(games.state["seed"][row]), int(games.state["index"][row]))
        return np.array([np.flatnonzero(mask)[0] for mask in games.copy(rows).legal()])

    result = evaluate(agent, num_games, seed=8, ruleset=ruleset)
    assert [acted[row] for row in range(num_games)] == [{row % players} for row in range(num_games)]
    assert [keys[row] for row in range(num_games)] == [(8, row // players) for row in range(num_games)]

    # The same games again, alone: the wins are counted for the right seed and seat.
    for row in range(0, num_games, 7):
        seat = row % players
        games = Games(1, ruleset, seed=8, index=[row // players])
        play_others(games, np.array([seat]))
        while not games.finished[0]:
            games.step(agent(games, np.array([0])))
            play_others(games, np.array([seat]))
        assert result.wins[row // players, seat] == (games.winner[0] == seat)


def test_the_interval_resamples_seeds_and_not_games():
    # All play alike and draw nothing: each seed's game is the same from every seat, and one of the four wins it.
    def first(games, rows):
        return games.copy(rows).legal().argmax(axis=1)

    result = evaluate(first, 80, seed=3, opponent=first)
    np.testing.assert_array_equal(result.wins.sum(axis=1), 1)
    assert result.win_rate == (0.25, 0.25, 0.25)


def test_a_random_agent_wins_by_chance():
    ended = []
    result = evaluate(make_agent("random", 5), 800, seed=1, on_progress=ended.append)
    assert result.num_games == 800
    assert result.chance == 0.25
    assert result.win_rate.low < 0.25 < result.win_rate.high
    assert 0.2 < result.win_rate.mean < 0.3
    assert result.by_seat.mean() == pytest.approx(result.win_rate.mean)
    assert ended[-1] == 800
    assert ended == sorted(ended)
    again = evaluate(make_agent("random", 5), 800, seed=1)
    np.testing.assert_array_equal(result.wins, again.wins)
    assert result.win_rate == again.win_rate
    assert (evaluate(make_agent("random", 5), 800, seed=2).wins != result.wins).any()


def test_evaluation_asks_the_opponent_given():
    acted = set()
    agent = make_agent("random", 1)

    def opponent(games, rows):
        acted.update(zip((rows % 4).tolist(), games.player[rows].tolist(), strict=True))
        return agent(games, rows)

    evaluate(make_agent("random", 0), 8, opponent=opponent)
    assert acted == {(seat, other) for seat in range(4) for other in range(4) if other != seat}


@pytest.mark.parametrize("num_games", [0, 10, -4, 8.0, True])
def test_a_number_of_games_that_cannot_be_rotated_is_refused(num_games):
    with pytest.raises(ValueError, match=r"num_games is .* multiple of 4"):
        evaluate(make_agent("random", 0), num_games)


def test_a_result_says_all_that_is_needed_to_judge_it():
    result = Evaluation(np.array([[1, 0, 0], [1, 1, 0]], bool), bootstrap([1 / 3, 2 / 3], np.random.default_rng(0)))
    assert str(result) == (
        "wins 50.0% of 6 games (95 % interval 33.3% to 66.7%; chance 33.3%); by seat 100.0%, 50.0%, 0.0%"
    )
    assert result.as_dict() == {
        "games": 6,
        "win_rate": 0.5,
        "interval_95": pytest.approx([1 / 3, 2 / 3]),
        "chance": 1 / 3,
        "win_rate_by_seat": [1, 0.5, 0],
    }


# ---------------------------------------------------------------------- models on disk


def test_a_model_is_read_back(model, model_file):
    policy, config = load_policy(model_file)
    assert config == TINY
    assert are_equal(weights(policy), weights(model.policy))
    assert are_equal(weights(MaskablePPO.load(model_file).policy), weights(model.policy))


def damage(content, what):
    if what == "cut":
        return content[: len(content) // 2]
    if what == "flipped":
        middle = content.index(b"policy.pth") + 2000
        return content[:middle] + bytes(255 - byte for byte in content[middle : middle + 8]) + content[middle + 8 :]
    return b"" if what == "empty" else b"no zip at all"


@pytest.mark.parametrize("what", ["cut", "flipped", "empty", "text"])
def test_a_damaged_model_is_refused_in_one_line(what, model_file, tmp_path, capsys):
    path = tmp_path / "damaged.zip"
    path.write_bytes(damage(model_file.read_bytes(), what))
    with pytest.raises(ValueError, match=r"damaged\.zip is damaged, or no model of `ursuppe train`") as error:
        load_policy(path)
    assert "\n" not in str(error.value)
    assert run_command(["evaluate", str(path)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"ursuppe: {path} is damaged")
    assert message.count("\n") == 1


def test_a_foreign_model_is_refused(model, tmp_path):
    path = tmp_path / "foreign.zip"
    model.save(path)  # without the settings
    with pytest.raises(ValueError, match=r"foreign\.zip is damaged, or no model"):
        load_policy(path)


class Trap:
    """Makes the folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def test_no_code_of_a_model_is_run(model_file, tmp_path):
    sprung = tmp_path / "sprung"
    weights = io.BytesIO()
    torch.save({"trap": Trap(sprung)}, weights)
    path = tmp_path / "trap.zip"
    with zipfile.ZipFile(model_file) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, weights.getvalue() if name.endswith(".pth") else source.read(name))
    with pytest.raises(ValueError, match=r"trap\.zip is damaged, or no model"):
        load_policy(path)
    assert not sprung.exists()
    weights.seek(0)
    with contextlib.suppress(Exception):
        torch.load(weights, weights_only=False)
    assert sprung.exists()  # the trap does work


def test_weights_of_another_shape_are_refused(model, tmp_path):
    path = tmp_path / "model.zip"
    save_model(model, TrainingConfig(players=3, layers=TINY.layers), path)
    with pytest.raises(ValueError, match=r"model\.zip is damaged"):
        load_policy(path)


# ---------------------------------------------------------------------- commands


def test_the_commands_train_and_evaluate(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(TrainingConfig, "batch_size", 128)
    out = tmp_path / "run"
    options = ["--players", "3", "--steps", "2000", "--envs", "32", "--seed", "1", "--reward", "rank"]
    assert run_command(["train", *options, "--out", str(out)]) == 0
    model = out / "model.zip"
    assert capsys.readouterr().out == f"model: {model}\n"
    config = load_policy(model)[1]
    assert (config.players, config.steps, config.envs, config.seed, config.reward) == (3, 2000, 32, 1, "rank")

    assert run_command(["evaluate", str(model), "--games", "50", "--seed", "4"]) == 0
    printed = capsys.readouterr().out
    policy = load_policy(model)[0]
    assert printed == f"{evaluate(policy_agent(policy, 4), 51, seed=4, ruleset=Ruleset(players=3))}\n"
    assert run_command(["evaluate", str(model), "--games", "50", "--seed", "4", "--deterministic"]) == 0
    best = evaluate(policy_agent(policy, deterministic=True), 51, seed=4, ruleset=Ruleset(players=3))
    assert capsys.readouterr().out == f"{best}\n"

    assert run_command(["train", *options, "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--players", "7"], "players is 7"),
        (["train", "--reward", "points"], "reward is 'points'"),
        (["train", "--steps", "0"], "steps is 0"),
        (["evaluate", "no/such/model.zip"], "no/such/model.zip: No such file"),
        (["evaluate", "model.zip", "--games", "0"], "'--games'"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, capsys):
    assert run_command(arguments) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("ursuppe: ")
    assert message in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("arguments", [["train"], ["evaluate", "model.zip"]])
def test_without_the_extra_it_says_how_to_install_it(arguments, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    assert run_command(arguments) == 2
    assert capsys.readouterr().err == (
        "ursuppe: sb3_contrib is not installed; install it with: pip install 'ursuppe-env[train]'\n"
    )


def test_the_quick_run_prints_its_win_rate_and_keeps_its_model(tmp_path, capsys):
    folder = tmp_path / "quick"
    for _ in range(2):  # the second one writes over the first
        quick.run(TINY, folder, num_games=40)
    printed = capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == ["evaluation.json", "model.zip"]
    policy, config = load_policy(folder / "model.zip")
    assert config == TINY
    assert f"{evaluate(policy_agent(policy, deterministic=True), 40, seed=1_000_000)}" in printed
    assert "chance 25.0%" in printed
    assert str(folder / "model.zip") in printed


def test_the_quick_run_ends_in_one_line_when_interrupted(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(quick, "run", interrupted)
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.count("\n") == 1
