"""Gradients: those of the compiled code are torch's, and both those of MaskablePPO's losses; and of the critic's."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution

from ursuppe_agents.policies.inputs import InputsView
from ursuppe_env import Games
from ursuppe_training.networks.seat_critic import critic_losses, predicted_outcomes
from ursuppe_training.ppo.dense_gradients import Gradients
from ursuppe_training.ppo.dense_playing import FrozenDenseCritic, FrozenDensePolicy
from ursuppe_training.ppo.learner import Losses, LossWeights
from ursuppe_training.ppo.rollout import Minibatch
from ursuppe_training.processes import Processes
from ursuppe_training.runs.trainer import Trainer

from support.training import TINY

WEIGHTS = LossWeights(clip_range=0.1, entropy=0.03)


@pytest.fixture(scope="module")
def trainer():
    return Trainer(TINY.changed({"layers": (24, 20, 13), "critic_width": 12, "precision": "float32"}))


@pytest.fixture(scope="module")
def gradients(trainer):
    with ThreadPoolExecutor(2) as workers:
        yield Gradients(trainer.policy, trainer.learner.who_plays, workers, Processes())


@pytest.fixture(scope="module")
def rollout(trainer):
    """Decisions of an older policy, whose probabilities are clipped here and there, and what to learn from them."""
    policy = trainer.policy
    games = Games(3000, seed=4)
    games.play_random(70)
    games = games.copy(np.flatnonzero(~games.finished))
    change(policy, 0.05)
    generator = np.random.default_rng(1)
    who_plays = generator.integers(0, len(trainer.self_play.pool.names) + 1, (len(games), 4))
    decisions = FrozenDensePolicy(policy, InputsView(False)).choose(
        games, who_plays, generator.random(len(games), np.float32)
    )
    change(policy, 0.04)
    advantages, scores = generator.normal(size=len(games)), generator.normal(size=(len(games), 4, 3))
    returns = predicted_outcomes(torch.from_numpy(scores).float())
    return decisions, Minibatch(torch.arange(len(games)), torch.from_numpy(advantages).float(), returns, len(games))


def change(policy, size):
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += torch.randn_like(parameter) * size


def losses_of_masked_ppo(policy, decisions, batch):
    """As ``MaskablePPO.train`` of sb3-contrib computes them, from its distribution."""
    logits = policy.action_net(policy.actor(decisions.inputs))
    distribution = MaskableCategoricalDistribution(logits.shape[1]).proba_distribution(logits)
    distribution.apply_masking(decisions.action_masks.numpy())
    log_probs, entropy = distribution.log_prob(decisions.actions), distribution.entropy()
    ratio = torch.exp(log_probs - decisions.log_probs)
    clipped = torch.clamp(ratio, 1 - WEIGHTS.clip_range, 1 + WEIGHTS.clip_range)
    policy_loss = -torch.min(batch.advantages * ratio, batch.advantages * clipped).mean()
    assert 0.1 < ((ratio - 1).abs() > WEIGHTS.clip_range).float().mean() < 0.9
    return policy_loss, entropy.mean()


def test_the_gradients_of_ppo_are_those_of_masked_ppo(trainer, gradients, rollout):
    policy, who_plays = trainer.policy, trainer.learner.who_plays
    decisions, batch = rollout
    policy_loss, entropy = losses_of_masked_ppo(policy, decisions, batch)
    scores = policy.scores(decisions.inputs, who_plays(decisions.who_plays))
    critic_loss = critic_losses(scores, batch.returns).mean()
    learned = dict([*policy.named_parameters(), *who_plays.named_parameters()])
    forget(learned)
    (policy_loss - WEIGHTS.entropy * entropy + critic_loss).backward()
    expected = {name: parameter.grad.clone() for name, parameter in learned.items()}
    compute_by_torch = gradients._of_ppo_by_torch
    by_torch = lambda *of: compute_by_torch(decisions.at(batch.rows), *of[1:]) / batch.total  # noqa: E731
    for compute in (gradients.of_ppo, by_torch):
        forget(learned)
        losses = Losses(*compute(decisions, batch, WEIGHTS).tolist())
        for name, parameter in learned.items():
            np.testing.assert_allclose(parameter.grad, expected[name], atol=2e-6, rtol=1e-3, err_msg=name)
        assert losses.policy == pytest.approx(policy_loss.item(), abs=1e-5)
        assert losses.critic == pytest.approx(critic_loss.item(), abs=1e-5)
        assert losses.entropy == pytest.approx(entropy.item(), abs=1e-5)
        assert losses.kl > 0
        assert 0.1 < losses.clipped < 0.9


def forget(parameters):
    for parameter in parameters.values():
        parameter.grad = None


def test_the_gradients_of_cloning_are_those_of_the_cross_entropy_and_leave_the_critic_alone(
    trainer, gradients, rollout
):
    policy = trainer.policy
    decisions, _ = rollout
    rows = torch.arange(0, len(decisions.actions), 3)
    some = decisions.at(rows)
    logits = torch.where(some.action_masks, policy.action_net(policy.actor(some.inputs)), -torch.inf)
    learned = dict(policy.named_parameters())
    forget(learned)
    torch.nn.functional.cross_entropy(logits, some.actions).backward()
    expected = {name: None if parameter.grad is None else parameter.grad.clone() for name, parameter in learned.items()}
    assert any(gradient is None for gradient in expected.values())
    gradients.of_cloning(decisions, rows, len(rows))
    for name, parameter in learned.items():
        if expected[name] is None:
            assert parameter.grad is None
        else:
            np.testing.assert_allclose(parameter.grad, expected[name], atol=2e-6, rtol=1e-3, err_msg=name)


def test_what_is_collected_is_what_an_update_finds_at_first():
    # In both precisions: the ratio of probabilities is 1 before the first step.
    for precision, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 0.02)):
        trainer = Trainer(TINY.changed({"layers": (64,)}))
        policy = trainer.policy
        policy.precision = precision
        games = Games(400, seed=4)
        games.play_random(50)
        games = games.copy(np.flatnonzero(~games.finished))
        uniforms = np.random.default_rng(1).random(len(games), np.float32)
        unknown = np.zeros((len(games), 4), np.int64)
        decisions = FrozenDensePolicy(policy, InputsView(False)).choose(games, unknown, uniforms)
        outcomes = FrozenDenseCritic(policy, trainer.learner.who_plays).predict(decisions).numpy()
        assert decisions.inputs.dtype == precision
        assert games.legal()[np.arange(len(games)), decisions.actions].all()
        inputs = torch.as_tensor(InputsView(False).of(games))
        log_probs, predicted = policy(inputs, decisions.action_masks)
        taken = log_probs.gather(1, decisions.actions[:, None])[:, 0]
        np.testing.assert_allclose(decisions.log_probs, taken.detach(), atol=tolerance)
        np.testing.assert_allclose(outcomes, predicted.detach(), atol=tolerance)
        batch = Minibatch(torch.arange(len(games)), torch.ones(len(games)), torch.from_numpy(outcomes), len(games))
        with ThreadPoolExecutor(2) as workers:
            gradients = Gradients(policy, trainer.learner.who_plays, workers, Processes())
            losses = Losses(*gradients.of_ppo(decisions, batch, WEIGHTS).tolist())
        assert losses.kl == pytest.approx(0, abs=1e-9)
