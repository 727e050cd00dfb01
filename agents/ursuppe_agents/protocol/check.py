"""Trying a bot: does it answer as it must, whatever it is asked? What is wrong is said in words (docs/protocol.md)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_agents.protocol.bot import Bot, bot_of, stop_bot
from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.line import counted
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, SWITCHES
from ursuppe_env.teams import Teams

_GAMES = 64  # of random play, in which every kind of decision comes up
_OF_A_KIND = 2  # decisions with each ruleset
_MOST_PROBLEMS = 10  # after which it is enough
_SHORT = 15  # the end zone of whole games


@dataclass
class Findings:
    """What a check has found."""

    name: str  # of the bot
    problems: list[str] = field(default_factory=list)  # in words, as they were met; none if all is well
    decisions: Counter[str] = field(default_factory=Counter)  # that were asked for, by kind
    games: int = 0  # in which they were
    seconds: float = 0.0  # that the bot took

    def __str__(self) -> str:
        asked = self.decisions.total()
        kinds = counted(len(self.decisions), "kind")
        pace = f"{1000 * self.seconds / max(asked, 1):.3g} ms each"
        return f"{self.name}: {counted(asked, 'decision')} of {kinds} in {counted(self.games, 'game')}, {pace}"


class _Enough(Exception):
    """So much is wrong that the rest need not be tried."""


@dataclass(frozen=True)
class _Trial:
    """Who is tried, and what has been found."""

    bot: Bot
    agent: Agent
    findings: Findings

    def ask(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """The actions; None where something is wrong, which is noted.

        Raises:
            _Enough: the bot is lost, or has been wrong too often.
        """
        names = [Decision(kind).name.lower() for kind in games.decision[rows].tolist()]
        self.findings.decisions.update(names)
        began = perf_counter()
        try:
            return self.agent.act(games, rows)
        except Fault as fault:
            name = names[rows.tolist().index(fault.row)]
            self.findings.problems.append(f"in a decision {name} with {games.ruleset!r} it {fault.what}")
            if self.bot.is_lost or len(self.findings.problems) >= _MOST_PROBLEMS:
                raise _Enough from None
        finally:
            self.findings.seconds += perf_counter() - began
        return None

    def try_kinds(self, ruleset: Ruleset) -> None:
        """Ask about some decisions of each kind, where random play comes to them."""
        games = Games(_GAMES, ruleset, seed=1, threads=1)
        left = dict.fromkeys(Decision, _OF_A_KIND)
        asked = np.zeros(_GAMES, bool)
        while not games.finished.all() and any(left.values()):
            rows = []
            for row, kind in enumerate(games.decision.tolist()):
                if kind >= 0 and left[Decision(kind)] > 0:
                    left[Decision(kind)] -= 1
                    rows.append(row)
            if rows:
                asked[rows] = True
                self.ask(games, np.array(rows))
            games.step_random()
        self.agent.games_over(games, np.flatnonzero(games.finished))
        self.findings.games += int(asked.sum())

    def play(self, ruleset: Ruleset, seats: Sequence[Sequence[int]], seed: int, teams: Teams | None = None) -> None:
        """Play a game to the end for each of these groups of seats, side by side: the bot's, among random players."""
        self.agent.teams = teams
        games = Games(len(seats), ruleset, seed=seed, threads=1)
        self.findings.games += len(games)
        is_own = np.array([[seat in of_bot for seat in range(ruleset.players)] for of_bot in seats])
        while not games.finished.all():
            player = games.player
            waiting = player >= 0
            own = np.flatnonzero(waiting & is_own[np.arange(len(games)), player])
            others = np.setdiff1d(np.flatnonzero(waiting), own)
            if own.size > 0:
                actions = self.ask(games, own)
                games.step_random(own) if actions is None else games.step(actions, own)
            if others.size > 0:
                games.step_random(others)
        self.agent.games_over(games, np.arange(len(games)))


def check_bot(command: str, ms: float, on_progress: Callable[[int, int], None] = lambda *_: None) -> Findings:
    """Try a bot in all kinds of decision, numbers of players and editions, with odd rulesets, and in whole games.

    The command starts it, and has so many milliseconds for a decision. ``on_progress`` hears how many stages are over,
    and how many there are.

    Raises:
        ValueError: it does not start, or does not answer ``hello``.
    """
    agent = make_agent(agent_spec("process", command=command, ms=ms), seed=0)
    bot = bot_of(command)
    findings = Findings(bot.ready.name)
    trial = _Trial(bot, agent, findings)
    short, teams = Ruleset(end_zone=_SHORT), Teams(((0, 2), (1, 3)))
    stages = [
        *(partial(trial.try_kinds, ruleset) for ruleset in (*_every_game(), *_odd_rulesets())),
        partial(trial.play, Ruleset(players=MIN_PLAYERS, end_zone=_SHORT), [range(MIN_PLAYERS)], seed=2),
        partial(trial.play, short, [(0,), (1,), (2,), (3,)] * 2, seed=3),
        partial(trial.play, short, teams.seats * 4, seed=3, teams=teams),
    ]
    try:
        for number, stage in enumerate(stages):
            on_progress(number, len(stages))
            stage()
    except _Enough:
        pass
    finally:
        ended = stop_bot(command)
    if not ended and not bot.is_lost:
        findings.problems.append("it did not end after 'bye', with no more input")
    on_progress(len(stages), len(stages))
    return findings


def _every_game() -> list[Ruleset]:
    numbers = range(MIN_PLAYERS, MAX_PLAYERS + 1)
    return [Ruleset(players=players, edition=edition) for players in numbers for edition in EDITIONS]


def _odd_rulesets() -> list[Ruleset]:
    """Few amoebas, many; nothing costs anything, or all have plenty; every switch the other way round."""
    printed = Ruleset()
    genes = dict.fromkeys(("speed", "tentacle", "holding", "aggression", "defense", "escape", "armour"), 6)
    return [
        Ruleset(amoebas=2, amoeba_places=(0, 1, 9), start_food=0, environment=(("none", 0), ("west", 30)) * 6),
        Ruleset(players=6, cubes=120, start_food=6, start_bp=99, income=99, cards=genes, carry=9),
        Ruleset(players=3, move_cost=0, attack_cost=0, division_cost=0, deadly_damage=9, long_life_damage=1),
        Ruleset(players=5, price=dict.fromkeys(genes, 0), cards=genes, mutation_points=dict.fromkeys(genes, 99)),
        printed.replace(**{switch: not getattr(printed, switch) for switch in SWITCHES}),
    ]
