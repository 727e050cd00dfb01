"""The PettingZoo AEC environment: one game, every decision of every player, or team."""

from copy import deepcopy
from typing import Any, ClassVar, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from ursuppe_env.envs.options import EnvironmentOptions, check_options
from ursuppe_env.envs.rewards import ILLEGAL_ACTION_REWARD, final_rewards
from ursuppe_env.envs.rulesets import RulesetArgument, seed_from_system
from ursuppe_env.games import Games
from ursuppe_env.render.screen import RENDER_MODES, Renderer
from ursuppe_env.rules.ruleset import Ruleset

NOT_ASKED = -1  # info["decision"] of an agent who is not to act

Observation = dict[str, NDArray[Any]]


def env(
    ruleset: RulesetArgument = None, *, render_mode: str | None = None, **options: Unpack[EnvironmentOptions]
) -> AECEnv:
    """The environment with PettingZoo's usual wrappers; arguments as for ``raw_env``.

    An illegal action ends the game with reward -1 for its agent and 0 for the others.
    """
    made = raw_env(ruleset, render_mode=render_mode, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=ILLEGAL_ACTION_REWARD)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return _OutermostWrapper(made)


class _LastAfterTheEnd(AECEnv):
    """PettingZoo's ``last``, with the words of its other errors where there is no agent left to tell about."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What ``agent_selection`` sees, its reward since it last acted, whether its game is over, and its info."""
        try:
            return super().last(observe)
        except KeyError:
            if self.agents:
                raise
            raise AssertionError("reset() needs to be called before last.") from None


class raw_env(_LastAfterTheEnd):
    """One game of Ursuppe without wrappers; ``ursuppe_env.ursuppe_v0`` describes it.

    An illegal action raises ``ValueError`` and leaves the game as it was. Before ``reset`` and when all agents have
    left it answers as PettingZoo's ``OrderEnforcingWrapper`` does: ``AssertionError`` where a game is needed,
    ``AttributeError`` for what ``reset`` sets; a ``step`` when all have left is a warning and does nothing. With
    ``teams`` each team is an agent, ``team_0``, ...; where rulesets differ, ``infos[agent]["ruleset"]`` is the game's.

    Args:
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        render_mode: "human", "rgb_array", "ansi" or None.
        **options: ``EnvironmentOptions``. One that contradicts the ruleset is a ``ValueError``, an unknown one
            a ``TypeError``.

    Attributes:
        games: the ``Games`` of one game; treat it as read-only.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "ursuppe_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self, ruleset: RulesetArgument = None, *, render_mode: str | None = None, **options: Unpack[EnvironmentOptions]
    ) -> None:
        super().__init__()
        self._source, self._view, self.reward, self.teams = check_options(ruleset, **options)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, self.metadata["render_fps"])
        self.games = Games(1, self._source.rulesets)  # a batch of one
        everyone = [f"player_{player}" for player in range(self.games.num_players)]
        names = everyone if self.teams is None else self.teams.names
        self.possible_agents = names
        self._agents_by_seat = everyone if self.teams is None else [names[team] for team in self.teams.team_of]
        self._seats = self._first_seats()
        self.state_space = self._view.space(self._source)
        num_actions = self.games.num_actions
        seen = spaces.Dict({"observation": self.state_space, "action_mask": spaces.Box(0, 1, (num_actions,), np.int8)})
        self.observation_spaces = {agent: deepcopy(seen) for agent in names}
        self.action_spaces = {agent: spaces.Discrete(num_actions) for agent in names}
        self._has_begun = False
        self._last_action: tuple[int, int] | None = None  # which player, what

    def _first_seats(self) -> dict[str, int]:
        """By agent the seat that it sees the game from, as long as it has not decided: its first."""
        return {agent: self._agents_by_seat.index(agent) for agent in self.possible_agents}

    @property
    def ruleset(self) -> Ruleset:
        """What the game under way is played with."""
        return self.games.ruleset_of(0)

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: the game's seed. Without one the first game's seed comes from the operating system, and later games
                follow from the first one's.
            options: accepted and ignored.
        """
        self._source.begin(self.games, None, seed_from_system() if seed is None and not self._has_begun else seed)
        self._has_begun = True
        self._last_action = None
        self._seats = self._first_seats()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: self._info(agent, NOT_ASKED) for agent in self.agents}
        self._ask(self.games.state["player"].item())
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Take the action of ``agent_selection``; ``None`` once the game is over, as PettingZoo demands."""
        if not self._has_begun:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self.games.step(np.asarray(action)[np.newaxis])
        self._last_action = self._seats[agent], int(action)  # type: ignore[arg-type]
        self.infos[agent] = self._info(agent, NOT_ASKED)
        player = self.games.state["player"].item()
        if player >= 0:
            self._ask(player)
        else:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _ask(self, player: int) -> None:
        self.agent_selection = agent = self._agents_by_seat[player]
        self._seats[agent] = player
        self.infos[agent] = self._info(agent, self.games.state["node"].item())

    def _info(self, agent: str, decision: int) -> dict[str, Any]:
        info: dict[str, Any] = {"decision": decision}
        if self.teams is not None:
            seat = self._seats[agent]
            info |= {"seat": seat, "own_seats": self.teams.own_seats[seat].copy()}
        if self._source.varies:
            info["ruleset"] = self.ruleset
        return info

    def _end(self) -> None:
        rewards = final_rewards(self.reward, self.games.markers, self.ruleset, teams=self.teams)[0]
        self.rewards = dict(zip(self.possible_agents, rewards.tolist(), strict=True))
        self._accumulate_rewards()  # only here: all rewards before are 0
        self.terminations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> Observation:
        """What the agent sees: ``observation`` (F,), float32 unless asked otherwise, and ``action_mask`` (A,) int8.

        The mask of an agent who is not to act is all 0. A team sees the game from the seat that it decides for, or
        decided for last. ``KeyError``: there is no such agent.
        """
        if not self._has_begun:
            EnvLogger.error_observe_before_reset()
        masks = np.zeros((1, self.games.num_actions), np.int8)
        is_asked = agent == self.agent_selection and not self.terminations.get(agent, True)
        observations = self._view.of(self.games, self._seats[agent], masks=masks if is_asked else None)
        return {"observation": observations[0], "action_mask": masks[0]}

    def state(self) -> NDArray[Any]:
        """The whole state, (F,) float32: as player 0 sees it, since nothing is hidden."""
        if not self._has_begun:
            EnvLogger.error_state_before_reset()
        return self._view.of(self.games, 0)[0]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """The agents in the order in which they act, each to be followed by ``step``; at most so many."""
        if not self._has_begun:
            EnvLogger.error_agent_iter_before_reset()
        return super().agent_iter(max_iter)

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as it stands: (H, W, 3) uint8 with "rgb_array", text with "ansi"; with "human" it is shown.

        ``ValueError``: ``render_mode`` is None. ``RuntimeError``: it is "human", but there is neither a notebook nor a
        display.
        """
        if not self._has_begun:
            EnvLogger.error_render_before_reset()
        return self._renderer.draw(self.games.state[0], self.ruleset, self._last_text())

    def _repr_svg_(self) -> str:
        """What Jupyter shows where a cell ends in the environment."""
        return self.games.svg(0, self._last_text())

    def _last_text(self) -> str | None:
        if self._last_action is None:
            return None
        player, action = self._last_action
        return f"player_{player}: {self.games.actions.text(action, player)}"

    def close(self) -> None:
        """Close the window of "human"."""
        self._renderer.close()


class _OutermostWrapper(_LastAfterTheEnd, wrappers.OrderEnforcingWrapper):
    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._game = env.unwrapped

    def __getattr__(self, name: str) -> Any:
        """As PettingZoo's wrappers do, but of the game at once: each of them would ask the next one."""
        if (name == "_cumulative_rewards" or not name.startswith("_")) and self._has_reset:
            return getattr(self._game, name)
        return super().__getattr__(name)

    def __str__(self) -> str:
        return str(self.env)

    def _repr_svg_(self) -> str:
        """What Jupyter shows where a cell ends in the environment; PettingZoo's wrappers hide private names."""
        picture: str = self.unwrapped._repr_svg_()
        return picture
