"""An RLlib environment of one game and all its seats, in which each seat is paid for its own decisions."""

from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ursuppe_env.envs.aec import env
from ursuppe_env.extras import extra

with extra("rllib"):
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.utils.typing import AgentID, MultiAgentDict


class UrsuppeMultiAgentEnv(MultiAgentEnv):
    """One game; ``reset`` and ``step`` ask one agent each, and the last ``step`` tells all how the game ended for them.

    An agent's trajectory has its own decisions alone, and the reward of the end comes to every agent's last one, no
    matter which agent ended the game.

    Observations are dicts of ``observations``, (F,) float32, and ``action_mask``, (A,) float32, 1 where an action is
    legal (all 1 at the end): the names that ``ActionMaskingTorchRLModule`` of RLlib's examples wants. Agents are
    ``player_0`` ... ``player_{P-1}``, with teams ``team_0`` ... ``team_{T-1}``. An illegal action ends the game with
    reward -1 for its agent, 0 for the others.

    Args:
        config: ``ruleset`` and ``EnvironmentOptions``, as ``ursuppe_v0.env`` takes them; what ``env_config`` of RLlib's
            ``AlgorithmConfig.environment`` has. One that is none of these is a ``TypeError``.
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._env = env(**(config or {}))
        self.possible_agents = self._env.possible_agents
        self.agents = self.possible_agents[:]
        self.action_spaces = {agent: self._env.action_space(agent) for agent in self.agents}
        mask = spaces.Box(0, 1, (self._env.unwrapped.games.num_actions,), np.float32)
        seen = spaces.Dict({"observations": self._env.unwrapped.state_space, "action_mask": mask})
        self.observation_spaces = {agent: deepcopy(seen) for agent in self.agents}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """Begin a new game; ``seed`` as in ``ursuppe_v0``, ``options`` are ignored."""
        self._env.reset(seed=seed)
        return self._seen_by([self._env.agent_selection])

    def step(
        self, action_dict: MultiAgentDict
    ) -> tuple[MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict, MultiAgentDict]:
        """Take the action of the agent who was asked; returns what RLlib wants of a multi-agent environment."""
        self._env.step(action_dict[self._env.agent_selection])
        is_over = all(self._env.terminations.values())
        asked = self.possible_agents if is_over else [self._env.agent_selection]
        observations, infos = self._seen_by(asked)
        rewards: MultiAgentDict = {agent: float(self._env.rewards[agent]) for agent in asked}
        ends: MultiAgentDict = dict.fromkeys([*asked, "__all__"], is_over)
        return observations, rewards, ends, dict.fromkeys(ends, False), infos

    def _seen_by(self, agents: list[AgentID]) -> tuple[MultiAgentDict, MultiAgentDict]:
        return {agent: self._look(agent) for agent in agents}, {agent: self._env.infos[agent] for agent in agents}

    def _look(self, agent: AgentID) -> dict[str, NDArray[np.float32]]:
        seen = self._env.observe(agent)
        mask = seen["action_mask"] if not self._env.terminations[agent] else np.ones_like(seen["action_mask"])
        return {"observations": seen["observation"], "action_mask": mask.astype(np.float32)}
