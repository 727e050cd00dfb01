"""Ursuppe (Primordial Soup) as a PettingZoo AEC environment, version 0.

| | |
| --- | --- |
| Import | ``from ursuppe_env import ursuppe_v0`` |
| Agents | 3-6 (default 4): ``player_0``, ``player_1``, ...; with ``teams`` 2 or more: ``team_0``, ``team_1``, ... |
| Action space | ``Discrete(A)``, masked; A depends on the number of players alone |
| Observation space | ``Dict``: ``observation`` (F,) float32, ``action_mask`` (A,) int8; F likewise |
| State space | ``Box`` (F,) float32: the observation of player 0 |
| Rewards | at the end alone, zero-sum: ``"win"``, ``"rank"`` or ``"margin"`` |
| Parallel API | no (a turn game) |
| Manual control | ``ursuppe play`` |
| Render modes | ``human``, ``rgb_array``, ``ansi`` |

Amoebas drift in the soup, eat the droppings of others, divide and buy genes; the furthest marker on the score track
wins. All information is public; dice and the order of the environment cards are the only chance.

## Agents and turns

``agent_selection`` is the player who must decide; it may be the same several times in a row, or somebody else in the
middle of a turn (defence, Holding). Decisions with a single legal action are taken by the engine.
``infos[agent]["decision"]`` is the decision as a number, a member of ``ursuppe_env.Decision`` (START_PLACE, PLACE, ...
AGGRESS); -1 for an agent who is not to act.

With ``teams``, such as ``((0, 2), (1, 3))``, each team of seats is an agent, and ``agent_selection`` the team whose
colour decides; ``infos[agent]["seat"]`` is the seat that the agent sees and acts from, ``infos[agent]["own_seats"]``,
(P,) int8, which seats are its own, counted from that one. ``ursuppe_duel_v0`` is the game of two players with two
colours each.

## Observation

What players see is turned so that they sit in seat 0. ``env.unwrapped.games.observation_layout`` names the slices;
``ursuppe_env.observation.index_table(4)`` prints them. Nothing is hidden, so every seat sees the same facts.

## Actions

One id for each distinct action, shared by all decisions, players counted from the one who acts.
``env.unwrapped.games.actions`` translates ids to texts such as ``"attack 2.3"`` and back. The mask of an agent who is
not to act is all 0. An illegal action ends the game with reward -1 for its agent and 0 for the others (``raw_env``
raises ``ValueError`` instead).

## Rewards

- ``"win"`` (default): +1 for the winner and -1/(P-1) for each of the others;
- ``"rank"``: from +1 for the first evenly down to -1 for the last;
- ``"margin"``: the marker's lead over the mean of all markers, divided by the first place of the end zone.

With teams they are those of teams (P is their number then), and a marker is a team's place: of its worst marker, or
with ``score`` "best" or "sum" of its best one or of all together.

## Termination

All agents terminate together when the game ends, after at most 10 rounds (one fewer than there are environment cards).
Nothing is truncated, but after an illegal action all agents are, too. Each agent then takes the action ``None`` and
leaves. When all have left, ``step`` warns and does nothing, and ``last`` is an ``AssertionError``; so is, before
``reset``, all that needs a game.

## Randomness

``reset(seed)`` fixes all chance: the same seed and actions give the same game.

With a list of rulesets, or a function ``(generator) -> Ruleset``, each game is played with one that is drawn, by its
seed too; ``infos[agent]["ruleset"]`` is that of the game.

## Version history

- v0: first version.
"""

from ursuppe_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
