"""Where the policies of a training come from: its settings, and the versions that matter."""

import json
from functools import cache
from typing import Any

from ursuppe_agents.policies.provenance import Provenance, digest_of
from ursuppe_env.provenance import provenance
from ursuppe_training.config import NOT_LEARNED_BY, TrainingConfig, preset_names, read_config

#: The packages that what is learned may depend on.
DISTRIBUTIONS = ("ursuppe-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")

#: What says which code was running.
CODE = {"commit", "dirty", "versions"}

#: What a policy has and the run that trains it has not: it is there before, and does not say what becomes of files.
OF_POLICIES = {"decisions", "mean_of"}


def provenance_of(
    config: TrainingConfig, decisions: int | None = None, initial_policy: str | None = None, decisions_before: int = 0
) -> Provenance:
    """That of a policy which is trained with these settings by the code that is running.

    Args:
        config: the settings.
        decisions: that it has learned from; None: unknown.
        initial_policy: the ``file_digest`` of what its training began from; None: random weights.
        decisions_before: that the initial policy had learned from in all.
    """
    ruleset, digest = config.ruleset, settings_digest(config)
    return Provenance(
        players=ruleset.players,
        teams=config.teams,
        score=config.score,
        edition=ruleset.edition,
        ruleset=ruleset.changes(),
        rulesets=config.rulesets,
        decisions=decisions,
        seed=config.seed,
        preset=_presets().get(digest),
        settings=digest,
        initial_policy=initial_policy,
        decisions_before=decisions_before,
        **_code(),
    )


def settings_digest(config: TrainingConfig) -> str:
    """16 hexadecimal digits that are the same if the same is learned with the same seed.

    Of all settings that differ from their defaults, but for the seed, the initial policy, and those that only say what
    is kept and measured on the way.
    """
    settings = config.model_dump(
        mode="json", exclude={*NOT_LEARNED_BY, "seed", "initial_policy"}, exclude_defaults=True
    )
    return digest_of(json.dumps(settings, sort_keys=True))


@cache
def _presets() -> dict[str, str]:
    """The presets by their digests."""
    return {settings_digest(read_config(name)): name for name in preset_names()}


@cache  # git takes a while, and the code that is running stays the same
def _code() -> dict[str, Any]:
    found = provenance(DISTRIBUTIONS)
    return {name: found[name] for name in CODE}
