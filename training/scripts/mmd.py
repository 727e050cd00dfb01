"""Magnetic mirror descent in self-play: ppo.py with another update.

Each update maximises the advantage, less how far the policy moves from the one that played, less how far it is from a
magnet, here the uniform policy over the legal actions. Both pulls keep players who learn from each other out of
circles. The magnet weakens with the learning rate.

python training/scripts/mmd.py --steps 10000000 --seed 0 --out runs/mmd.pt
cd training/scripts && ursuppe benchmark run ladder4-v1 ppo:Player:model=../../runs/mmd.pt --out ../../runs/mmd-ladder
"""

import torch
from ppo import BATCH, arguments, look, minibatches, train
from torch import nn
from torch.distributions import Categorical, kl_divergence

MAGNET, STEP_SIZE = 0.03, 2.0


def learn(network, optimizer, seen, mask, action, log_prob, advantage, target):
    """Update the network by what was collected."""
    magnet = MAGNET * optimizer.param_groups[0]["lr"] / optimizer.defaults["lr"]
    better = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    with torch.no_grad():
        pieces = zip(seen.split(BATCH), mask.split(BATCH), strict=True)
        played = torch.cat([look(network, *piece)[0].logits for piece in pieces])
    for batch in minibatches(seen):
        policy, value = look(network, seen[batch], mask[batch])
        gain = (policy.log_prob(action[batch]) - log_prob[batch]).exp() * better[batch]
        moved = kl_divergence(policy, Categorical(logits=played[batch]))
        away = mask[batch].sum(dim=1).log() - policy.entropy()  # the divergence from the uniform policy
        loss = (value - target[batch]).square().mean() / 2 + (moved / STEP_SIZE + magnet * away - gain).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()


if __name__ == "__main__":
    train(**arguments(__doc__, of_ppo=True), learn=learn)
