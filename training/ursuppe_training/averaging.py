"""The mean of the weights of policies that went on learning from one another, or from one policy.

Policies that learn from games with themselves go round in circles: each beats the one before, and is as easily beaten.
The mean over several of them is exploited less, which is what fictitious play rests on. Of weights it makes sense as
long as they grew out of the same ones: between unrelated ones lies no policy that could play.
"""

from collections.abc import Sequence
from pathlib import Path

import torch

from ursuppe_training.config import TrainingConfig
from ursuppe_training.models import load_policy, read_provenance, read_temperature, save_policy
from ursuppe_training.provenance import Provenance, file_digest

_FEWEST = 2
#: What must be the same in all of them: what they are for, and the shape of their networks.
_SAME = ("players", "teams", "score", "edition", "ruleset_changes", "observe_rules", "layers", "critic_width")


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
    digests = [file_digest(path) for path in paths]
    for number, digest in enumerate(digests):
        if digest in digests[:number]:
            raise ValueError(f"{paths[number]} is the same policy as {paths[digests.index(digest)]}")
    policies, provenances = zip(*((load_policy(path), read_provenance(path)) for path in paths), strict=True)
    (mean, config), *others = policies
    for path, (_, other), provenance in zip(paths[1:], others, provenances[1:], strict=True):
        _check_alike(paths[0], path, config, other)
        if provenance.rulesets != provenances[0].rulesets:
            raise ValueError(
                f"{path} was trained on {provenance.rules_in_words()}, {paths[0]} on "
                f"{provenances[0].rules_in_words()}; they must be alike"
            )
    with torch.no_grad():
        for parameter, *same in zip(*(policy.parameters() for policy, _ in policies), strict=True):
            parameter.copy_(torch.stack([parameter, *same]).double().mean(dim=0))
    learned_most = max(range(len(paths)), key=lambda number: provenances[number].all_decisions or 0)
    found = provenances[learned_most].changed({"mean_of": tuple(digests)})
    save_policy(mean, config, out, found, read_temperature(paths[learned_most]))
    return found


def _check_alike(path: Path, other: Path, config: TrainingConfig, others: TrainingConfig) -> None:
    for name in _SAME:
        ours, theirs = getattr(config, name), getattr(others, name)
        if ours != theirs:
            raise ValueError(f"{name} of {other} is {theirs!r}, of {path} {ours!r}; it must be the same")
