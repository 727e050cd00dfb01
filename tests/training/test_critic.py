"""What the critic's scores mean, and what it learns."""

import torch

from ursuppe_agents.policies.board.weights import WIN
from ursuppe_training.networks.critic import critic_losses, predicted_outcomes


def test_chances_of_winning_sum_to_1_and_rewards_to_0():
    outcomes = predicted_outcomes(torch.randn(50, 4, 3))
    assert outcomes.shape == (50, 4, 3)
    assert (outcomes[:, :, WIN] > 0).all()
    torch.testing.assert_close(outcomes[:, :, WIN].sum(dim=1), torch.ones(50))
    torch.testing.assert_close(outcomes[:, :, 1:].sum(dim=1), torch.zeros(50, 2), atol=1e-5, rtol=0)


def test_nothing_is_better_than_to_predict_the_returns():
    scores = torch.randn(20, 4, 3, requires_grad=True)
    returns = predicted_outcomes(torch.randn(20, 4, 3))
    optimizer = torch.optim.Adam([scores], lr=0.05)
    for _ in range(1500):
        optimizer.zero_grad()
        critic_losses(scores, returns).sum().backward()
        optimizer.step()
    torch.testing.assert_close(predicted_outcomes(scores), returns, atol=0.01, rtol=0)
