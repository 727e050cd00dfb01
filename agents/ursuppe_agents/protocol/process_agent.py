"""``process``: a program of one's own as an agent, in any language, behind the line protocol (docs/protocol.md)."""

import logging
import weakref
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_agents.protocol import messages
from ursuppe_agents.protocol.bot import Bot, BotError, LateError, bot_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import observation_layout
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import NUMBERS, PER_GENE, SWITCHES
from ursuppe_env.teams import Teams, sides_of
from ursuppe_env.validation import checked_decisions

_SEEDS = 1 << 53  # integers that every language's numbers hold

_log = logging.getLogger("ursuppe_agents.protocol")  # by default it prints a warning as a line on stderr


class _Known(NamedTuple):
    """The game of a row, as the bot knows it."""

    game: int
    streams: tuple[int, int, int]  # tell one game from another
    ruleset: Ruleset
    draws: int  # from the streams, when it was last asked: fewer are those of the same game begun anew


class ProcessAgent(Agent):
    """Lets a program decide, which runs as long as this process does.

    Args:
        generator: gives the program a seed for each game, and the random actions of forfeited decisions.
        command: starts the program, as in a shell, but without one.
        ms: milliseconds for a decision; several asked together have so many each, together.
        late: what follows when they are over: "fail", as after any other fault; or "random", a random action.
        faults: what follows an illegal action, an answer that is none, or a second death: "fail", an error; or
            "forfeit", a random action.

    Raises:
        ValueError: there is no such program, it does not answer as a bot must, or a value is not right.

    Decisions with a random action are its ``forfeited`` ones; the first one is said on stderr.
    """

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        command: str,
        ms: float = 10_000.0,
        late: str = "fail",
        faults: str = "fail",
    ) -> None:
        super().__init__(generator)
        if not 0 < ms < np.inf:
            raise ValueError(f"ms of agent 'process' is {ms!r}; it must be more than 0")
        for name, value, known in (("late", late, ("fail", "random")), ("faults", faults, ("fail", "forfeit"))):
            if value not in known:
                raise ValueError(f"{name} of agent 'process' is {value!r}; it must be {' or '.join(map(repr, known))}")
        self._ms = ms
        self._late = late
        self._faults = faults
        try:
            self._bot = bot_of(command)
        except (BotError, ValueError) as error:
            raise ValueError(f"agent 'process': {f'{command!r} ' * isinstance(error, BotError)}{error}") from None
        self._known: dict[tuple[int, int], _Known] = {}  # by row and seat
        weakref.finalize(self, _forget, self._bot, self._known)

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games.

        Raises:
            Fault: the program did something wrong, and ``faults`` or ``late`` do not allow for it.
        """
        rows = checked_decisions(rows, games.player)
        self.forfeited = rows[:0]
        if rows.size == 0:
            return rows.astype(np.int64)
        ids = self._games_of(games, rows)
        decisions = shown_decisions(games, rows, ids, self._bot.ready.sees)
        may_forfeit = self._faults == "forfeit"
        try:
            chosen, errors = self._bot.ask(decisions, len(rows) * self._ms / 1000)
        except BotError as error:
            chosen, errors = {}, dict.fromkeys(ids, str(error))
            may_forfeit |= isinstance(error, LateError) and self._late == "random"
        for row, game, decision in zip(rows.tolist(), ids, decisions, strict=True):
            if game in errors:
                if not may_forfeit:
                    raise Fault(row, errors[game], f"bot {self._bot.command}")
                if not self._bot.has_forfeited:
                    self._bot.has_forfeited = True
                    follows = "a random action is taken, and counted, here and in what follows"
                    _log.warning("bot %s %s; %s", self._bot.command, errors[game], follows)
                chosen[game] = int(self.generator.choice(decision["ids"]))
        self.forfeited = rows[[game in errors for game in ids]]
        return np.array([chosen[game] for game in ids], np.int64)

    def games_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        streams = dict(zip(rows.tolist(), _streams(games, rows), strict=True))
        for (row, seat), known in list(self._known.items()):
            if streams.get(row) == known.streams:
                self._bot.end_game(messages.Over(game=known.game, result=_result_of(games, row, self.teams)))
                del self._known[row, seat]

    def _games_of(self, games: Games, rows: NDArray[np.int64]) -> list[int]:
        """The ids of the games in these rows, each seen from the seat that decides; new ones are told to the bot."""
        players, rulesets = games.player[rows].tolist(), games.rulesets
        numbers, streams = games.ruleset_index[rows].tolist(), _streams(games, rows)
        draws = games.state["draws"][rows].sum(axis=1).tolist()
        ids = []
        for place, row in enumerate(rows.tolist()):
            key, ruleset = (row, players[place]), rulesets[numbers[place]]
            known = self._known.get(key)
            now = streams[place], ruleset
            if known is not None and (known[1:3] != now or draws[place] < known.draws):  # quick: the same ruleset
                self._bot.end_game(messages.Over(game=known.game))
                known = None
            if known is None:
                known = _Known(next(self._bot.ids), *now, 0)
                seed = int(self.generator.integers(_SEEDS))
                self._bot.begin_game(
                    game_message(known.game, key[1], ruleset, self.teams, seed, self._ms, self._bot.ready.sees)
                )
            self._known[key] = known._replace(draws=draws[place])
            ids.append(known.game)
        return ids


def _streams(games: Games, rows: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """What tells the games in these rows, (n,), from others: the keys of their random streams."""
    return list(zip(*(games.state[name][rows].tolist() for name in ("seed", "index", "episode")), strict=True))


def _forget(bot: Bot, known: dict[tuple[int, int], _Known]) -> None:
    """Nobody asks about these games any more."""
    for game in known.values():
        bot.end_game(messages.Over(game=game.game))


def game_message(
    game: int, seat: int, ruleset: Ruleset, teams: Teams | None, seed: int, ms: float | None, sees: Collection[str]
) -> messages.Game:
    """What a bot is told before its first decision in a game."""
    fields = {name: getattr(ruleset, name) for name in (*NUMBERS, *SWITCHES)}
    fields |= {name: dict(zip(GENE_NAMES, fields[name], strict=True)) for name in PER_GENE}
    layout = {name: (part.start, part.stop) for name, part in observation_layout(ruleset.players).items()}
    return messages.Game(
        game=game,
        seat=seat,
        players=ruleset.players,
        edition=ruleset.edition,
        ruleset=fields,  # ``Ruleset.from_changes`` takes them
        teams=None if teams is None else messages.Teams(seats=[*map(list, teams.seats)], score=teams.score),
        seed=seed,
        ms=ms,
        observation_layout=layout if "observation" in sees else None,
    )


def shown_decisions(
    games: Games, rows: NDArray[np.int64], ids: Sequence[int], sees: Collection[str]
) -> list[dict[str, Any]]:
    """The decisions in these rows, (n,), of the games, as in the message ``decide``; n ids are those the bot knows."""
    asked = games.copy(rows)
    players, nodes, text_of = asked.player.tolist(), asked.decision.tolist(), asked.actions.text
    masks = asked.legal()
    ends = np.cumsum(np.count_nonzero(masks, axis=1)).tolist()
    legal = np.nonzero(masks)[1].tolist()  # of all rows, one after the other
    decisions: list[dict[str, Any]] = [
        {
            "game": game,
            "decision": Decision(node).name.lower(),
            "legal": [text_of(action, player) for action in legal[start:end]],
            "ids": legal[start:end],
        }
        for game, node, player, start, end in zip(ids, nodes, players, [0, *ends[:-1]], ends, strict=True)
    ]
    if "position" in sees:
        for place, decision in enumerate(decisions):
            decision["position"] = asked.to_dict(place)
            del decision["position"]["streams"]  # they tell the future
    if "observation" in sees:
        for decision, observation in zip(decisions, asked.observe(dtype=np.uint8).tolist(), strict=True):
            decision["observation"] = observation
    if "text" in sees:
        for place, decision in enumerate(decisions):
            decision["text"] = asked.describe(place, players[place])
    return decisions


def _result_of(games: Games, row: int, teams: Teams | None) -> messages.Result:
    """How the game in this row ended."""
    markers, sides = games.markers[row], sides_of(teams, games.num_players)
    ranks = 1 + sides.ahead(markers)[sides.team_of]
    return messages.Result(markers=markers.tolist(), ranks=ranks.tolist(), rounds=int(games.rounds[row]))
