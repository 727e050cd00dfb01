"""Training the network that sees the board: as reproducible and resumable as any, from and into files of its own."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.weights import Widths
from ursuppe_agents.policies.files import SavedBoardPolicy, read_policy, write_board_policy
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Games
from ursuppe_training.config import TrainingConfig
from ursuppe_training.exploit.evaluated import evaluated_agent
from ursuppe_training.exploit.plan import plan
from ursuppe_training.exploit.study import Budget, ExploitStudy
from ursuppe_training.networks.averaging import average_policies
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.files import save_policy
from ursuppe_training.networks.initial_policy import changed_settings
from ursuppe_training.networks.seat_critic import predicted_outcomes
from ursuppe_training.ppo.board_learner import BoardLearner
from ursuppe_training.ppo.learner import Losses, LossWeights
from ursuppe_training.ppo.rollout import Minibatch
from ursuppe_training.processes import Processes
from ursuppe_training.provenance import provenance_of
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer, train

from support.policies import SMALL, random_policy
from support.training import MIXED, TINY, are_equal, silent, weights

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

BOARD = TINY.changed({"network": "board", "layers": TrainingConfig().layers, "learning_rate": 3e-3})
WEIGHTS = LossWeights(clip_range=0.1, entropy=0.03)


@pytest.fixture
def file(tmp_path):
    save_policy(train(BOARD.changed({"steps": 300})), BOARD, tmp_path / "board.zip")
    return tmp_path / "board.zip"


@pytest.mark.parametrize(
    "changes",
    [
        {"teachers": ("grow",), "teaching": 0.5, "final_reward": "rank"},
        {"rulesets": "varied", "players": 3},
        {"teams": "0+2,1+3", "edition": "1997", "ruleset_changes": {"start_bp": 5}},
    ],
)
def test_a_run_that_is_saved_and_restored_goes_on_as_if_nothing_had_been(changes):
    config = BOARD.changed({"opponents": MIXED, "snapshot_every": 400, "steps": 2000, **changes})
    saved = []
    whole = Trainer(config, threads=1)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config, threads=3)  # their number has no influence either
    resumed.load_state_dict(saved[2])
    resumed.run()
    assert resumed.decisions == whole.decisions
    assert are_equal(weights(whole.policy), weights(resumed.policy))
    assert not are_equal(weights(whole.policy), weights(train(config.changed({"seed": 4}))))


@pytest.fixture(scope="module")
def decided():
    """A learner that has chosen in games with several rulesets, and its decisions."""
    trainer = Trainer(BOARD.changed({"rulesets": "varied", "steps": 600}))
    trainer.run()
    learner = trainer.learner
    rulesets = trainer.learner._rulesets
    games = Games(1500, rulesets, seed=4)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    uniforms = np.random.default_rng(1).random(len(games), np.float32)
    return learner, games, learner.freeze().choose(games, np.zeros((len(games), 4), np.int64), uniforms)


def test_what_is_collected_is_what_an_update_finds_at_first(decided):
    learner, games, decisions = decided
    assert games.legal()[np.arange(len(games)), decisions.actions].all()
    assert 0.05 < decisions.is_learned.float().mean() <= 1
    log_probs, taken, scores = learner._seen(decisions.at(torch.arange(len(games))))
    np.testing.assert_allclose(taken.detach(), decisions.log_probs, atol=2e-4)
    np.testing.assert_allclose(predicted_outcomes(scores).detach(), decisions.values, atol=2e-4)
    assert float(log_probs.detach().exp().sum()) == pytest.approx(len(games), rel=1e-5)
    torch.testing.assert_close(learner.freeze_critic().predict(decisions), decisions.values)
    batch = Minibatch(torch.arange(len(games)), torch.ones(len(games)), decisions.values, len(games))
    losses = Losses(*learner.ppo_gradients(decisions, batch, WEIGHTS).tolist())
    assert losses.kl == pytest.approx(0, abs=1e-6)
    assert losses.clipped == 0
    assert losses.policy == pytest.approx(-1, abs=1e-3)


def test_gradients_are_those_of_all_decisions_at_once_in_however_many_slices(decided, monkeypatch):
    learner, games, decisions = decided
    generator = np.random.default_rng(2)
    advantages = torch.from_numpy(generator.normal(size=len(games))).float()
    batch = Minibatch(torch.arange(len(games)), advantages, decisions.values.flip(0), len(games))
    found = []
    for size in (10_000, 400):
        monkeypatch.setattr("ursuppe_training.ppo.board_learner._SLICE", size)
        with ThreadPoolExecutor(2) as workers:
            anew = BoardLearner(learner.policy, learner._rulesets, 4, workers, Processes())
            losses = anew.ppo_gradients(decisions, batch, WEIGHTS)
            found.append([losses, *(parameter.grad for parameter in learner.policy.parameters())])
            anew.cloning_gradients(decisions, batch.rows, len(games))
        critic = learner.policy.layers["outcome"]
        assert critic.grad is None  # of a critic nothing is cloned
    for at_once, in_slices in zip(*found, strict=True):
        torch.testing.assert_close(at_once.float(), in_slices.float(), atol=1e-5, rtol=1e-3)


def test_a_short_training_beats_chance_by_far():
    settings = {"seed": 1, "steps": 60_000, "envs": 64, "rollout": 64, "batch_size": 512, "epochs": 2}
    policy = train(BOARD.changed({**settings, "learning_rate": 4e-3, "opponents": {"random": 1.0}}))
    won = share_won_alone(policy)
    assert won > 0.6


def share_won_alone(policy):
    """By its likeliest actions among three random players."""
    from ursuppe_agents import make_agent
    from ursuppe_agents.policies.agent import PolicyAgent

    games, seats = Games(400, seed=77, index=np.arange(400) // 4), np.arange(400) % 4
    learner = PolicyAgent(np.random.default_rng(0), weights=policy.weights(), deterministic=True)
    others = make_agent("random", 1)
    while (rows := np.flatnonzero(~games.finished)).size:
        mine = games.player[rows] == seats[rows]
        for asked, agent in ((rows[mine], learner), (rows[~mine], others)):
            if asked.size:
                games.step(agent(games, asked), asked)
    return (games.winner == seats).mean()


def test_a_run_writes_files_of_its_own_and_begins_from_them_at_any_table(tmp_path, file):
    config = changed_settings(TINY, {"initial_policy": str(file), "players": 3, "steps": 96, "envs": 4, "rollout": 12})
    assert config.network == "board"
    begun = Trainer(config).policy.weights().arrays
    for name, array in read_policy(file).weights.arrays.items():
        np.testing.assert_array_equal(begun[name], array)
    run = Run.begin(tmp_path / "run", config.changed({"evaluate_every": 48, "evaluation_games": 3}), silent)
    run.train()
    saved = read_policy(tmp_path / "run" / "best.zip")
    assert isinstance(saved, SavedBoardPolicy)
    assert (saved.provenance.players, saved.provenance.initial_policy) == (3, file_digest(file))
    assert (tmp_path / "run" / "evaluation.json").exists()


def test_a_dense_policy_is_nothing_to_begin_from(tmp_path):
    save_policy(random_policy(), SMALL, tmp_path / "dense.zip")
    with pytest.raises(ValueError, match=r"^initial_policy is .*dense\.zip', whose network is dense; here network is "):
        Trainer(BOARD.changed({"initial_policy": str(tmp_path / "dense.zip")}))


@pytest.mark.parametrize(
    "setting", [{"layers": (8,)}, {"critic_width": 8}, {"observe_rules": True}, {"precision": "bfloat16"}]
)
def test_settings_of_dense_networks_are_refused(setting):
    with pytest.raises(ValueError, match=rf"{next(iter(setting))} is .*, but network is 'board'; "):
        BOARD.changed(setting)


def test_policies_are_averaged(tmp_path, file):
    other, dense = tmp_path / "other.zip", tmp_path / "dense.zip"
    saved = read_policy(file)
    doubled = {name: array * 2 for name, array in saved.weights.arrays.items()}
    write_board_policy(other, doubled, provenance_of(BOARD, decisions=9))
    found = average_policies([file, other], tmp_path / "mean.zip")
    assert found.decisions == 9
    assert found.mean_of == (file_digest(file), file_digest(other))
    for name, array in read_policy(tmp_path / "mean.zip").weights.arrays.items():
        np.testing.assert_allclose(array, saved.weights.arrays[name] * 1.5, rtol=2e-3, atol=1e-6)
    narrow = BoardPolicy(Widths(token=16)).weights().arrays
    for arrays, comes_from, said in (
        (narrow, provenance_of(BOARD), r"^widths of .*other\.zip is \(16, "),
        (
            doubled,
            provenance_of(BOARD).changed({"player_counts": (3, 4)}),
            r"^player_counts of .*other\.zip is \(3, 4\)",
        ),
        (doubled, provenance_of(BOARD.changed({"teams": "0+2,1+3"})), r"^teams of .*other\.zip is '0\+2,1\+3'"),
    ):
        write_board_policy(other, arrays, comes_from)
        with pytest.raises(ValueError, match=said):
            average_policies([file, other], tmp_path / "mean.zip")
    save_policy(random_policy(), SMALL, dense)
    with pytest.raises(ValueError, match="sees the board, the other is dense; they must be alike"):
        average_policies([file, dense], tmp_path / "mean.zip")


def test_best_responses_to_it_see_the_board_too(file):
    evaluated = evaluated_agent(f"policy:{file}", decisions=10_000)
    study = ExploitStudy(evaluated=evaluated, budgets=(Budget(None, None, 500),), seeds=(0,), num_games=4)
    runs = plan(study, evaluated, speed=1000.0)
    assert [run.config.network for run in runs] == ["board", "board"]
    assert Trainer(runs[0].config).policy.weights().arrays.keys() == read_policy(file).weights.arrays.keys()
