"""The recipe of docs/libraries/tianshou.md: a DQN that learns with action masks."""

from types import SimpleNamespace

import numpy as np
import pytest
from tianshou.data import Batch


@pytest.fixture(scope="module")
def trained(examples):
    """What the example leaves behind, and the weights that it began with."""
    (code,) = examples
    before, after = code.split("result = dqn.run_training(")
    names: dict = {}
    exec(before, names)
    names["weights_before"] = [weights.detach().clone() for weights in names["net"].parameters()]
    exec("result = dqn.run_training(" + after, names)
    return SimpleNamespace(**names)


def test_it_learns_for_as_long_as_it_was_asked_to(trained):
    steps = trained.EPOCHS * trained.STEPS
    assert steps <= trained.result.train_step < steps + 80 * trained.EPOCHS
    assert trained.result.update_step == trained.result.train_step // 80
    assert any((old != new).any() for old, new in zip(trained.weights_before, trained.net.parameters(), strict=True))


def test_every_action_was_legal_also_those_of_exploration(trained):
    kept = trained.games.buffer
    assert len(kept) == trained.result.train_step
    masks = kept.obs.mask[: kept.maxsize]
    rows = kept.sample_indices(0)
    assert masks[rows, kept.act[rows]].all()
    assert (masks[rows].sum(axis=1) >= 2).all()
    assert (masks[rows].sum(axis=1) < masks.shape[1]).all()  # else it would be no test


def test_the_learner_is_told_of_games_that_it_loses(trained):
    kept = trained.games.buffer
    rows = kept.sample_indices(0)
    ended = kept.terminated[rows]
    ranks = set(np.round(kept.rew[rows][ended], 2))
    assert ranks <= {1, 0.33, -0.33, -1}
    assert min(ranks) < 0
    assert not kept.rew[rows][~ended].any()


def test_the_best_legal_action_is_taken(trained):
    env = trained.make()
    seen, _ = env.reset(seed=5)
    batch = Batch(obs=Batch(obs=seen["obs"][np.newaxis], mask=seen["mask"][np.newaxis]), info=Batch())
    chosen = trained.policy(batch)
    values = chosen.logits[0].detach().numpy()
    assert chosen.act[0] == np.where(seen["mask"] == 1, values, -np.inf).argmax()
