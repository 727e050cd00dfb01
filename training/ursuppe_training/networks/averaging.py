"""The mean of the weights of policies that went on learning from one another, or from one policy.

Policies that learn from games with themselves go round in circles: each beats the one before, and is as easily beaten.
The mean of several is exploited less, which is what fictitious play rests on. Their weights must have grown out of the
same ones: between unrelated ones lies no policy that could play.
"""

from collections.abc import Sequence
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np

from ursuppe_agents.policies.board.weights import widths_of
from ursuppe_agents.policies.files import SavedPolicy, read_policy, write_policy
from ursuppe_agents.policies.provenance import Provenance, file_digest

_FEWEST = 2
_FOR = ("players", "teams", "score", "edition", "ruleset", "rulesets")


def average_policies(paths: Sequence[Path], out: Path) -> Provenance:
    """Write the policy whose weights are the means of those in some files.

    Args:
        paths: of the files, at least two.
        out: of the file that is written, whole or not at all.

    Returns:
        What the file says of itself: of the files it has learned most in, and of which it is the mean.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: one is damaged or no policy, there are too few, one is there twice, or they are not alike.
    """
    if len(paths) < _FEWEST:
        raise ValueError(f"there is {len(paths)} policy to average; there must be at least {_FEWEST}")
    policies = [read_policy(path) for path in paths]  # first of all: a path may be of something without an end
    digests = [file_digest(path) for path in paths]
    for number, digest in enumerate(digests):
        if digest in digests[:number]:
            raise ValueError(f"{paths[number]} is the same policy as {paths[digests.index(digest)]}")
    first, *others = policies
    for path, other in zip(paths[1:], others, strict=True):
        theirs = _likeness(other)
        for name, ours in _likeness(first).items():
            if theirs[name] != ours:
                raise ValueError(f"{name} of {path} is {theirs[name]!r}, of {paths[0]} {ours!r}; it must be the same")
    stacks = {name: np.stack([one.weights.arrays[name] for one in policies]) for name in first.weights.arrays}
    mean = {name: arrays.mean(axis=0, dtype=np.float64).astype(np.float32) for name, arrays in stacks.items()}
    learned_most = max(policies, key=lambda policy: policy.provenance.all_decisions or 0)
    found = learned_most.provenance.changed({"mean_of": tuple(digests), "critic_games": 0})
    weights = replace(first.weights, arrays=mean, critic=None)  # a critic knows the games of its policy alone
    write_policy(out, SavedPolicy(weights, found, learned_most.temperature))
    return found


def _likeness(saved: SavedPolicy) -> dict[str, object]:
    """What must be the same in all of them: what they are for, and the shape of their networks."""
    found = {name: getattr(saved.provenance, name) for name in _FOR}
    return {**found, "widths": astuple(widths_of(saved.weights.arrays))}
