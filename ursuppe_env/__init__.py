"""Ursuppe (Primordial Soup) for machines that learn: the full rules, thousands of games at once."""

import gymnasium as _gymnasium
from pettingzoo import register as _register
from pettingzoo.env_registry.registration import aec_registry as _aec_registry

from ursuppe_env import ursuppe_v0
from ursuppe_env.envs.vector import TimeStep, UrsuppeVector
from ursuppe_env.games import Games
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.teams import DUEL as _DUEL
from ursuppe_env.validation import aligned_empty

__all__ = ["Decision", "Games", "Ruleset", "TimeStep", "UrsuppeVector", "aligned_empty", "ursuppe_v0"]
__version__ = "0.1.0"

# A second import would be warned about.
for _id, _game in (("ursuppe_v0", {}), ("ursuppe_duel_v0", {"teams": _DUEL})):
    if _id not in _aec_registry:
        _register("aec", _id, "ursuppe_env.ursuppe_v0:env", kwargs=_game)
for _id, _game in (("ursuppe_env/Ursuppe-v0", {}), ("ursuppe_env/UrsuppeDuel-v0", {"teams": _DUEL})):
    if _id not in _gymnasium.registry:
        _gymnasium.register(
            _id,
            entry_point="ursuppe_env.envs.single_seat:UrsuppeEnv",
            vector_entry_point="ursuppe_env.envs.single_seat:UrsuppeVectorEnv",
            kwargs=_game,
        )
