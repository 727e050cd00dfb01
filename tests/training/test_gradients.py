"""Gradients: those of the compiled code are torch's, and both those of MaskablePPO's losses."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from ursuppe_env import Games
from ursuppe_training import heads
from ursuppe_training.gradients import Gradients, LossWeights
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Minibatch
from ursuppe_training.sampling import FrozenPolicy
from ursuppe_training.trainer import Trainer

from support.training import TINY

WEIGHTS = LossWeights(clip_range=0.1, entropy=0.03, value=0.7)


@pytest.fixture(scope="module")
def gradients():
    with ThreadPoolExecutor(2) as workers:
        trainer = Trainer(TINY.changed({"shared_layers": (24,), "layers": (20, 13), "precision": "float32"}))
        yield Gradients(trainer.model.policy, workers, Processes()), trainer.model.policy


@pytest.fixture(scope="module")
def rollout(gradients):
    """Decisions of an older policy, whose probabilities are clipped here and there, and what to learn from them."""
    _, policy = gradients
    games = Games(3000, seed=4)
    games.play_random(70)
    games = games.copy(np.flatnonzero(~games.finished))
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += torch.randn_like(parameter) * 0.05
    generator = np.random.default_rng(1)
    decisions, _ = FrozenPolicy(policy, False).choose(games, generator.random(len(games), np.float32))
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += torch.randn_like(parameter) * 0.04
    numbers = generator.normal(size=(2, len(games))).astype(np.float32)
    return decisions, Minibatch(torch.arange(len(games)), *torch.from_numpy(numbers), len(games))


def losses_of_masked_ppo(policy, decisions, batch):
    """As ``MaskablePPO.train`` of sb3-contrib computes them, from its policy's ``evaluate_actions``."""
    features = policy.features_extractor.layers(decisions.inputs)
    actor, critic = policy.mlp_extractor(features)
    distribution = policy._get_action_dist_from_latent(actor)
    distribution.apply_masking(decisions.action_masks.numpy())
    log_probs, entropy = distribution.log_prob(decisions.actions), distribution.entropy()
    ratio = torch.exp(log_probs - decisions.log_probs)
    clipped = torch.clamp(ratio, 1 - WEIGHTS.clip_range, 1 + WEIGHTS.clip_range)
    policy_loss = -torch.min(batch.advantages * ratio, batch.advantages * clipped).mean()
    value_loss = torch.nn.functional.mse_loss(batch.returns, policy.value_net(critic).flatten())
    assert 0.1 < ((ratio - 1).abs() > WEIGHTS.clip_range).float().mean() < 0.9
    return policy_loss, value_loss, entropy.mean()


def test_the_gradients_of_ppo_are_those_of_masked_ppo(gradients, rollout):
    ours, policy = gradients
    decisions, batch = rollout
    policy_loss, value_loss, entropy = losses_of_masked_ppo(policy, decisions, batch)
    policy.zero_grad()
    (policy_loss - WEIGHTS.entropy * entropy + WEIGHTS.value * value_loss).backward()
    expected = {name: parameter.grad.clone() for name, parameter in policy.named_parameters()}
    compute_by_torch = ours._of_ppo_by_torch
    for compute in (ours.of_ppo, lambda *arguments: compute_by_torch(decisions.at(batch.rows), *arguments[1:])):
        policy.zero_grad()
        means = compute(decisions, batch, WEIGHTS)
        for name, parameter in policy.named_parameters():
            np.testing.assert_allclose(parameter.grad, expected[name], atol=2e-6, rtol=1e-3, err_msg=name)
        assert means[heads.POLICY_LOSS] == pytest.approx(policy_loss.item(), abs=1e-5)
        assert means[heads.VALUE_LOSS] == pytest.approx(value_loss.item(), abs=1e-5)
        assert means[heads.ENTROPY] == pytest.approx(entropy.item(), abs=1e-5)
        assert means[heads.KL] > 0
        assert 0.1 < means[heads.CLIPPED] < 0.9


def test_the_gradients_of_cloning_are_those_of_the_cross_entropy(gradients, rollout):
    ours, policy = gradients
    decisions, _ = rollout
    rows = torch.arange(0, len(decisions.actions), 3)
    some = decisions.at(rows)
    actor, _ = policy.mlp_extractor(policy.features_extractor.layers(some.inputs))
    logits = torch.where(some.action_masks, policy.action_net(actor), -torch.inf)
    policy.zero_grad()
    torch.nn.functional.cross_entropy(logits, some.actions).backward()
    expected = {name: parameter.grad for name, parameter in policy.named_parameters()}
    policy.zero_grad()
    ours.of_cloning(decisions, rows, len(rows))
    for name, parameter in policy.named_parameters():
        if "value_net" in name:  # also of the hidden layers: the critic learns nothing from it
            assert parameter.grad is expected[name] is None
        else:
            np.testing.assert_allclose(parameter.grad, expected[name], atol=2e-6, rtol=1e-3, err_msg=name)


def test_what_is_collected_is_what_an_update_finds_at_first(gradients):
    # In both precisions: the ratio of probabilities is 1 before the first step.
    for precision, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 0.02)):
        policy = Trainer(TINY.changed({"layers": (64,)})).model.policy
        policy.precision = precision
        games = Games(400, seed=4)
        games.play_random(50)
        games = games.copy(np.flatnonzero(~games.finished))
        uniforms = np.random.default_rng(1).random(len(games), np.float32)
        decisions, values = FrozenPolicy(policy, False).choose(games, uniforms)
        assert decisions.inputs.dtype == precision
        assert games.legal()[np.arange(len(games)), decisions.actions].all()
        observations = torch.as_tensor(games.observe())
        expected, log_probs, _ = policy.evaluate_actions(observations, decisions.actions, games.legal())
        np.testing.assert_allclose(decisions.log_probs, log_probs.detach(), atol=tolerance)
        np.testing.assert_allclose(values, expected[:, 0].detach(), atol=tolerance)
        batch = Minibatch(torch.arange(len(games)), torch.ones(len(games)), torch.from_numpy(values), len(games))
        with ThreadPoolExecutor(2) as workers:
            means = Gradients(policy, workers, Processes()).of_ppo(decisions, batch, WEIGHTS)
        assert means[heads.KL] == pytest.approx(0, abs=1e-9)
        assert means[heads.VALUE_LOSS] == pytest.approx(0, abs=1e-9)
