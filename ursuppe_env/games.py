"""Games: N games of Ursuppe in one array, the only door to the rules."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env import counting
from ursuppe_env.batch import Batch, num_actions
from ursuppe_env.line import counted, quoted
from ursuppe_env.observation import observation_size
from ursuppe_env.observation.encoding import AT_ACTING_SEAT, observe_games
from ursuppe_env.observation.layout import observation_dtype
from ursuppe_env.parsing import checked_integer
from ursuppe_env.positions import read_position, why_impossible, write_position
from ursuppe_env.positions.state_checks import check_layout
from ursuppe_env.rules import kernels
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.chance import number_of, outcomes, reseeded, value_of
from ursuppe_env.rules.kernels import BEGIN, DRAW, RESOLVE, RESUME, STEP
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, STOP_AFTER_ROUND, STOP_AT_CHANCE, Chance, Decision
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import Partition, checked_teams
from ursuppe_env.threads import available_cores, changing, in_slices, refuse_change, refuse_while_changing
from ursuppe_env.validation import (
    checked_count,
    checked_flag,
    checked_integers,
    checked_mask,
    checked_most,
    checked_num_games,
    checked_output,
    checked_row,
    checked_rows,
    checked_ruleset_index,
    checked_rulesets,
    checked_seats,
    checked_seed,
    checked_selection,
    spread_actions,
)

if TYPE_CHECKING:
    from ursuppe_env.render.svg import Picture

_MOST_PICTURES = 4  # in a notebook
_MASKS_PER_THREAD = 8192  # a mask is quickly written: fewer are not worth a thread's start

_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)
_NO_MASKS = np.empty((0, 0), np.int8)
_IDLE = {FINISHED: "is over", CHANCE_PLAYER: "waits for a chance event", PAUSED: "pauses after a round"}


@lru_cache(maxsize=32, typed=True)
def _everywhere(num_games: int, value: int | bool) -> NDArray[Any]:
    """(N,) the same for each game, int64 or bool; shared, not to be written to."""
    return np.full(num_games, value)


class Games(Batch):
    """N games at once, each at a decision (rules.md section 8) or finished.

    Args:
        num_games: N, at least 1.
        ruleset: the numbers and switches to play with: a ``Ruleset``, or a dict of its fields, such as ``{"players": 3,
            "income": 12}``; or a list of rulesets for the same number of players; default: 4 players, edition 1998.
        seed: 0 ... 2**64 - 1. The same seed gives the same games for the same actions, whatever N or the threads.
        index: (N,) which game of the seed each row plays; default 0 ... N-1. Rows with the same index share their
            dice, as far as their actions allow.
        threads: how many to spread the rows over; default: one a core, if there are enough rows to be worth it.
        explicit_chance: stop at chance events too, and wait for ``resolve`` or ``draw``.
        pause_after_rounds: stop after each phase 6 but the last too, and wait for ``resume``.
        ruleset_index: (N,) which ruleset of the list each row plays; default: by turns, row i ruleset i modulo their
            number.

    Raises:
        ValueError: an argument is out of its range; the message names it.

    A finished game stays as it is until ``reset``: its ``player`` and ``decision`` are -1, its rows of ``legal()``
    and ``observe()`` are 0, and its action in ``step`` must be -1. The same holds for a game that waits for an
    explicit chance event, with -2 in place of -1 in ``player`` and ``decision``, or pauses after a round, with -3.
    A damaged game that gets stuck stays there like a finished one, and what led there raises ``RuntimeError``.

    One ``Games`` is for one thread at a time. A method that another thread calls while it changes is a
    ``RuntimeError``; attributes are half old then, and a change while another thread reads is not noticed. Give each
    thread ``Games`` of its own, or let ``threads`` share out the rows.
    """

    is_changing = is_lent = False  # ``threads.changing``, ``threads.lent``

    def __init__(
        self,
        num_games: int,
        ruleset: Ruleset | Mapping[str, Any] | Sequence[Ruleset] | None = None,
        seed: int = 0,
        index: ArrayLike | None = None,
        threads: int | None = None,
        explicit_chance: bool = False,
        pause_after_rounds: bool = False,
        ruleset_index: ArrayLike | None = None,
    ) -> None:
        num_games = checked_num_games("num_games", num_games)
        rulesets = checked_rulesets(Ruleset() if ruleset is None else ruleset)
        self._set_up(rulesets, threads, explicit_chance, pause_after_rounds)
        self._hold(np.zeros(num_games, STATE))
        self._states["episode"] = -1
        everyone = np.arange(num_games)
        if ruleset_index is None:
            ruleset_index = everyone % len(self._rulesets)
        index = everyone if index is None else index
        self.reset(seed=checked_seed("seed", seed), index=index, ruleset_index=ruleset_index)

    def _set_up(
        self, rulesets: tuple[Ruleset, ...], threads: int | None, explicit_chance: bool, pause_after_rounds: bool
    ) -> None:
        if threads is not None:
            threads = checked_count("threads", threads, 1, ", or None for all cores")
        self._play_with(rulesets)
        self._stops = STOP_AT_CHANCE * checked_flag("explicit_chance", explicit_chance)
        self._stops |= STOP_AFTER_ROUND * checked_flag("pause_after_rounds", pause_after_rounds)
        self._threads = available_cores() if threads is None else threads

    def _hold(self, states: NDArray[np.void]) -> None:
        self._states = states
        self._shown = states.view()
        self._shown.flags.writeable = False

    # ------------------------------------------------------------------ what there is to see

    def __len__(self) -> int:
        return len(self._states)

    def __repr__(self) -> str:
        finished = int(self.finished.sum())
        rules = repr(self.ruleset) if len(self._rulesets) == 1 else counted(len(self._rulesets), "ruleset")
        return f"<Games: {counted(len(self), 'game')}, {finished} finished, {rules}>"

    @property
    def ruleset_index(self) -> NDArray[np.int32]:
        """(N,) which of ``rulesets`` each game is played with."""
        return self._states["ruleset"].copy()

    def ruleset_of(self, i: int) -> Ruleset:
        """What game i is played with; ``ValueError``: there is no game i."""
        return self._rulesets[self._states["ruleset"][checked_row(i, len(self))]]

    @property
    def explicit_chance(self) -> bool:
        """Do the games stop at chance events?"""
        return bool(self._stops & STOP_AT_CHANCE)

    @property
    def pause_after_rounds(self) -> bool:
        """Do the games stop after each phase 6 but the last?"""
        return bool(self._stops & STOP_AFTER_ROUND)

    @property
    def state(self) -> NDArray[np.void]:
        """(N,) structured array, the state itself, read-only (docs/positions.md): it follows the games.

        ``state.copy()`` is a snapshot, which ``from_state`` goes on from.
        """
        return self._shown

    @property
    def player(self) -> NDArray[np.int8]:
        """(N,) who decides; -1 finished, -2 a chance event, -3 paused after a round."""
        return self._states["player"].copy()

    @property
    def decision(self) -> NDArray[np.int8]:
        """(N,) which decision (``Decision``); -1 finished, -2 a chance event, -3 paused after a round."""
        player = self._states["player"]
        return np.where(player >= 0, self._states["node"], player)

    @property
    def finished(self) -> NDArray[np.bool_]:
        """(N,) which games are over."""
        return self._states["node"] == FINISHED

    @property
    def winner(self) -> NDArray[np.int8]:
        """(N,) the player with the furthest marker; -1 until the end."""
        return self._states["winner"].copy()

    def team_winner(self, teams: Partition, score: str = "worst") -> NDArray[np.int8]:
        """(N,) the team with the furthest place; -1 until the end.

        Args:
            teams: the seats of each team, such as ``((0, 2), (1, 3))``.
            score: which place is a team's: that of its "worst" or "best" marker, or the "sum" of all. Of teams with the
                same sum, the one with the better best marker is in front.

        Raises:
            ValueError: the teams are no partition of the seats, or there is no such score.
        """
        winner = checked_teams(teams, score, self.num_players).winner(self.markers)
        return np.where(self.finished, winner, -1).astype(np.int8)

    @property
    def markers(self) -> NDArray[np.int16]:
        """(N, P) places on the track; 0 before the start place is taken."""
        return self._states["marker"][:, : self.num_players].copy()

    @property
    def rounds(self) -> NDArray[np.int8]:
        """(N,) the round, from 1; 0 during the set-up."""
        return self._states["round"].copy()

    def legal(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """The action masks: (N, A) int8, 1 where legal; written into ``out`` if given."""
        if self.is_changing:
            refuse_while_changing(self)
        out = checked_output(out, (len(self._states), num_actions(self._rulesets[0].players)), _INT8)
        in_slices(kernels.write_masks, self._threads, self._states, out, rows_per_thread=_MASKS_PER_THREAD)
        return out

    def svg(self, i: int, last_action: str | None = None, theme: str = "light") -> "Picture":
        """Game i as SVG markup, which Jupyter shows as a picture where a cell ends in it (docs/rendering.md).

        Args:
            i: the row of the game, 0 ... N-1.
            last_action: what is shown as the last action, such as ``"player_1: space 3"``.
            theme: "light", "dark", or "page", whose colours are those of the page that shows the picture.

        Raises:
            ValueError: there is no game i, or no such theme.
        """
        from ursuppe_env.render.svg import draw_svg  # rarely needed

        refuse_while_changing(self)
        return draw_svg(self._shown[checked_row(i, len(self))], self.ruleset_of(i), last_action, theme)

    def describe(self, i: int, player: int | None = None) -> str:
        """Game i in plain English: the position, what is under way, and what the legal actions mean.

        For people who see no board, and for language models: with four players some 450 to 660 words. Nothing is left
        out that a position has (docs/positions.md), but for its random streams.

        Args:
            i: the row of the game, 0 ... N-1.
            player: who is addressed as "you"; None: nobody.

        Raises:
            ValueError: there is no game i, or no such player.
        """
        from ursuppe_env.render.briefing import briefing  # rarely needed

        game = self.copy([checked_row(i, len(self))])
        if player is not None:
            player = checked_integer("player", player, 0, self.num_players - 1)
        return briefing(game.state[0], self.ruleset_of(i), np.flatnonzero(game.legal()[0]).tolist(), player)

    def _repr_html_(self) -> str:
        """What Jupyter shows where a cell ends in the games: the first few."""
        shown = range(min(len(self), _MOST_PICTURES))
        width = 100 if len(self) == 1 else 49
        pictures = "".join(f'<div style="width:{width}%;max-width:800px">{self.svg(i)}</div>' for i in shown)
        return f'{escape(repr(self))}<div style="display:flex;flex-wrap:wrap;gap:1%">{pictures}</div>'

    def observe(
        self,
        seat: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        rules: bool = False,
        dtype: DTypeLike = np.float32,
        masks: NDArray[np.int8] | None = None,
    ) -> NDArray[Any]:
        """The observations: (N, F), seen by the deciding player, or by the seat or the (N,) seats given.

        Source of the layout: ``ursuppe_env.observation``. Without a seat the rows of games in which nobody decides
        are 0; a seat given is always served, also when the game is over.

        Args:
            seat: who sees, 0 ... P-1: one for all games or (N,), one a game; None: who decides.
            out: (N, F) of the dtype, to be written into; None: a new array, which begins at a multiple of 64 bytes if
                there are several games.
            rules: show the ruleset of each game too, as F - ``observation_size`` numbers more.
            dtype: float32; float16, the same numbers rounded; uint8, the numbers of the state before they are scaled.
            masks: (N, A) int8; gets what ``legal`` gives, in the same pass.

        Raises:
            ValueError: a seat does not exist, or an array is not of this shape and dtype.
        """
        if self.is_changing:
            refuse_while_changing(self)
        n, players = len(self._states), self._rulesets[0].players
        shows_rules = rules is not False and checked_flag("rules", rules)
        found = _FLOAT32 if dtype is np.float32 else observation_dtype(dtype)
        out = checked_output(out, (n, observation_size(players, shows_rules)), found)
        masks = _NO_MASKS if masks is None else checked_output(masks, (n, num_actions(players)), _INT8, "masks")
        if seat is None:
            seats = _everywhere(n, AT_ACTING_SEAT)
        elif type(seat) is int and 0 <= seat < players:
            seats = _everywhere(n, seat)
        else:
            seats = checked_seats(seat, n, players)
        encode = partial(observe_games, rules_rows=self._shown_rules()) if shows_rules else observe_games
        in_slices(encode, self._threads, self._states, self._rules, players, seats, masks, out)
        return out

    # ------------------------------------------------------------------ playing

    def step(self, actions: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Take one action in every game, or in those of ``rows``.

        Args:
            actions: (N,) integers, one a game; -1 where nobody decides. With ``rows``: (n,), one for each of them.
            rows: (n,) integers, the games to act in, each at most once, in any order; the others wait.

        Raises:
            ValueError: an action is not legal in its game, a row does not exist or comes twice, or the arrays are
                not integers of these shapes. Nothing is changed in any game then.
            RuntimeError: another thread is changing the games, here as in all methods that change them.
        """
        n = len(self._states)
        if rows is None:
            asked = _everywhere(n, True)
            actions = checked_integers("actions", actions, n)
        else:
            rows, asked = checked_rows(rows, n)
            actions = spread_actions(rows, actions, n)
        if self.is_changing or self.is_lent:  # as ``changing`` does it, which would be a tenth of a step of one game
            refuse_change(self)
        self.is_changing = True
        try:
            row = kernels.first_refused(self._states, asked, actions)  # quicker than handing it to threads
            if row == kernels.NO_ROW:
                self._run(STEP, actions)
        finally:
            self.is_changing = False
        if row != kernels.NO_ROW:
            raise ValueError(self._why_illegal(row, int(actions[row])))

    @changing
    def step_random(self, rows: ArrayLike | None = None) -> NDArray[np.int64]:
        """Take a uniformly random legal action in every game, or in those of ``rows`` as in ``step``.

        Returns the actions, (N,) or (n,); -1 where nobody decides.
        """
        if rows is None:
            asked = _everywhere(len(self), True)
        else:
            rows, asked = checked_rows(rows, len(self))
        actions = np.empty(len(self), np.int64)
        in_slices(kernels.choose_random_actions, self._threads, self._states, asked, actions)
        self._run(STEP, actions)
        return actions if rows is None else actions[rows]

    @changing
    def play_random(
        self, max_decisions: int | None = None, restart: bool = False, until: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Play on with random legal actions, fused in compiled code, and return the (N,) numbers of decisions made.

        Args:
            max_decisions: at most so many a game; None: to the end.
            restart: follow a finished game by the row's next one (needs ``max_decisions``).
            until: (N, P) bool, the players who do not play at random: each game ends up where one of them decides. It
                also stops then where ``step`` would; without ``until``, chance events are drawn and pauses passed.

        Raises:
            ValueError: an argument is out of its range.
        """
        most, restart = checked_most(max_decisions, restart)
        made = np.zeros(len(self), np.int64)
        if until is None:
            bits, stops = _everywhere(len(self), 0), 0
        else:
            seats = np.arange(self.num_players)
            bits, stops = checked_mask(until, len(self), "until", len(seats)) @ (1 << seats), self._stops
        if in_slices(kernels.play, self._threads, self._states, self._rules, most, restart, bits, stops, made):
            raise RuntimeError(why_stuck(self._states))
        if counting.counts:
            counting.add(int(made.sum()))
        return made

    @changing
    def reset(
        self,
        mask: ArrayLike | None = None,
        seed: int | None = None,
        index: ArrayLike | None = None,
        ruleset_index: ArrayLike | None = None,
        rulesets: Sequence[Ruleset] | None = None,
    ) -> None:
        """Begin new games in all rows, or in those of the (N,) bool ``mask``.

        Args:
            mask: the rows; the others go on, and what is given for them below does not count.
            seed: of which each row begins episode 0; without one it goes on to its next episode.
            index: (N,) another index for the rows.
            ruleset_index: (N,) another ruleset for the rows.
            rulesets: the batch's rulesets from now on; rows that go on must find theirs at the same place.

        Raises:
            ValueError: an argument is out of its range; nothing is changed then.
        """
        rows = np.ones(len(self), bool) if mask is None else checked_mask(mask, len(self))
        batch = self._rulesets if rulesets is None else self._checked_successors(rulesets, rows)
        if index is not None:
            index = checked_integers("index", index, len(self))
        if seed is not None:
            seed = checked_seed("seed", seed)
        played: NDArray[np.int64] | None = None  # as before
        if ruleset_index is not None or rulesets is not None:
            given = self._states["ruleset"] if ruleset_index is None else ruleset_index
            played = checked_ruleset_index(given, rows, len(batch))

        if rulesets is not None:
            self._play_with(batch)
        if played is not None:
            self._states["ruleset"][rows] = played[rows]
        if seed is not None:
            self._states["seed"][rows] = seed
            self._states["episode"][rows] = 0
        else:
            self._states["episode"][rows] += 1
        if index is not None:
            self._states["index"][rows] = index[rows]
        self._run(BEGIN, np.where(rows, 1, NO_ACTION))

    def _checked_successors(self, rulesets: Sequence[Ruleset], rows: NDArray[np.bool_]) -> tuple[Ruleset, ...]:
        """Rulesets in place of the batch's, if games in other rows than these can go on with them."""
        batch = checked_rulesets(rulesets)
        players = batch[0].players
        if players != self.num_players:
            raise ValueError(f"rulesets are for {players} players; these games have {self.num_players} players")
        for number in np.unique(self._states["ruleset"][~rows]).tolist():
            played = self._rulesets[number]
            found = batch[number] if number < len(batch) else None
            if found is not played and found != played:  # ``is`` is quicker
                there = "is missing" if found is None else f"is {quoted(found)}"
                raise ValueError(f"rulesets[{number}] {there}; games that go on are played with {played!r} there")
        return batch

    def copy(self, index: Any = None, reseed: int | None = None) -> "Games":
        """New ``Games`` with copies of these rows (an index array, slice or mask; None: all).

        Args:
            index: the rows, in any order and number.
            reseed: None keeps the random streams, so that the copies have the same future (a snapshot), and stops where
                these games stop. An integer is for looking ahead: the copies have fresh streams that depend on it and
                the row of the copy alone, and stop neither at chance events nor after rounds. What these games wait
                for, the copies have drawn; so in each of them a player decides, or it is over.

        Raises:
            ValueError: ``index`` selects no rows or some that do not exist, or ``reseed`` is no seed.
        """
        refuse_while_changing(self)
        plain = plain_memory(self._states)
        states = plain if index is None else plain[checked_selection(index, len(self))]
        games = object.__new__(Games)
        games._play_as(self)
        games._stops = self._stops
        games._threads = self._threads
        games._hold(states.copy().view(STATE))
        if reseed is not None:
            with np.errstate(over="ignore"):
                seed = reseeded(np.uint64(checked_seed("reseed", reseed)))
            games._states["seed"] = seed
            games._states["index"] = np.arange(len(states))
            games._states["episode"] = 0
            in_slices(kernels.restart_streams, games._threads, games._states)
            if games._stops:
                games._stops = 0
                games._run(RESUME, np.where(games._states["player"] < FINISHED, 1, NO_ACTION))
        return games

    @classmethod
    def from_state(
        cls,
        states: NDArray[np.void],
        ruleset: Ruleset | Mapping[str, Any] | Sequence[Ruleset],
        threads: int | None = None,
        explicit_chance: bool = False,
        pause_after_rounds: bool = False,
    ) -> "Games":
        """Go on from a copy of other games' ``state``, such as ``np.load`` reads what ``np.save`` wrote.

        Each state is checked as ``from_dict`` checks a position, which takes about a millisecond.

        Args:
            states: (N,) array like ``games.state``; the random streams are in it.
            ruleset: what these games are played with, which is not in the state; or the list of the batch's rulesets.
            threads: as for a new batch.
            explicit_chance: as for a new batch; needed if a game waits for a chance event.
            pause_after_rounds: as for a new batch; needed if a game pauses.

        Raises:
            ValueError: ``states`` is of another version of the package, or impossible with this ruleset.
        """
        rulesets = checked_rulesets(ruleset)
        check_layout(states)
        kept = states.copy()
        impossible = why_impossible(kept.view(STATE), rulesets)
        if impossible is not None:
            raise ValueError("state {}: {}".format(*impossible))
        return cls._from_checked(kept, rulesets, threads, explicit_chance, pause_after_rounds)

    @classmethod
    def _from_checked(
        cls,
        states: NDArray[np.void],
        ruleset: Ruleset | Sequence[Ruleset],
        threads: int | None = None,
        explicit_chance: bool = False,
        pause_after_rounds: bool = False,
    ) -> "Games":
        """As ``from_state``, but of states that are neither checked nor copied."""
        games: Games = object.__new__(cls)
        games._set_up(checked_rulesets(ruleset), threads, explicit_chance, pause_after_rounds)
        # To the compiled code, what comes from a file is of another type, though it compares as equal.
        games._hold(states.view(STATE))
        stops = ((CHANCE_PLAYER, STOP_AT_CHANCE, "explicit_chance"), (PAUSED, STOP_AFTER_ROUND, "pause_after_rounds"))
        for waiting, stop, option in stops:
            rows = np.flatnonzero(states["player"] == waiting)
            if len(rows) and not games._stops & stop:
                raise ValueError(f"state {rows[0]} {_IDLE[waiting]}; {option} is False, it must be True")
        return games

    def to_dict(self, i: int) -> dict[str, Any]:
        """Game i as a position: a JSON object in the words of the rules, with its random streams (docs/positions.md).

        ``ValueError``: there is no game i.
        """
        refuse_while_changing(self)
        return write_position(self._states[checked_row(i, len(self))], self.ruleset_of(i))

    @classmethod
    def from_dict(
        cls,
        position: Mapping[str, Any],
        threads: int | None = None,
        explicit_chance: bool = False,
        pause_after_rounds: bool = False,
    ) -> "Games":
        """One game that goes on from a position, such as ``to_dict`` gives or a person has written.

        Args:
            position: the JSON object of docs/positions.md; what it leaves out follows from the rest.
            threads: as for a new batch.
            explicit_chance: as for a new batch; needed if the game waits for a chance event.
            pause_after_rounds: as for a new batch; needed if the game pauses.

        Raises:
            ValueError: it is no position, or no game can stand there; the message says what would be right.
        """
        states, ruleset = read_position(position)
        return cls._from_checked(states, ruleset, threads, explicit_chance, pause_after_rounds)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Games":
        return self.copy()

    def __getstate__(self) -> tuple[Any, ...]:
        """What is pickled: the arguments of ``from_state``."""
        refuse_while_changing(self)
        return self._states, self._rulesets, self._threads, self.explicit_chance, self.pause_after_rounds

    def __setstate__(self, arguments: Any) -> None:
        if not isinstance(arguments, tuple):
            raise ValueError("these pickled games are of an earlier version of the package")
        self.__dict__.update(vars(Games.from_state(*arguments)))

    # ------------------------------------------------------------------ explicit chance

    def chance(self, i: int) -> tuple[str, list[tuple[Any, float]]]:
        """The chance event that game i waits for: its name and [(value, probability), ...], values as in records.

        ``ValueError``: there is no game i, or it waits for none.
        """
        refuse_while_changing(self)
        name, values = self._outcomes(checked_row(i, len(self)))
        return name, [(value, probability) for value, _, probability in values]

    @changing
    def resolve(self, values: Sequence[Any] | NDArray[Any]) -> None:
        """Give every chance event that is pending its value; None, or what is masked, for games that wait for none.

        ``ValueError``: a value is not possible in its game; nothing is changed then.
        """
        plain = _plain(values)
        if not isinstance(plain, list) or len(plain) != len(self):
            raise ValueError(f"values is {quoted(plain)}; it must be a list of {len(self)} values, one a game")
        numbers = np.full(len(self), NO_ACTION, np.int64)
        for i, value in enumerate(plain):
            pending = self._states["player"][i] == CHANCE_PLAYER
            if not pending and value is not None:
                raise ValueError(f"game {i} waits for no chance event; its value must be None, not {quoted(value)}")
            if pending:
                number = number_of(self._states[i], self._rules_of(i), value)
                if number is None:
                    name, possible = self._outcomes(i)
                    examples = ", ".join(repr(one) for one, _, _ in possible[:6]) + ", ..." * (len(possible) > 6)
                    raise ValueError(f"game {i}: {name} cannot be {quoted(value)}; possible are {examples}")
                numbers[i] = number
        self._run(RESOLVE, numbers)

    @changing
    def draw(self, mask: ArrayLike | None = None) -> list[Any]:
        """Draw the chance events that are pending from the games' own streams, in all rows or those of ``mask``.

        Returns a list of N values as in records, None for games whose chance was not drawn.
        """
        rows = self._states["player"] == CHANCE_PLAYER
        if mask is not None:
            rows &= checked_mask(mask, len(self))
        events = self._states["node"].copy()
        numbers = np.where(rows, 1, NO_ACTION)
        self._run(DRAW, numbers)
        values: list[Any] = [None] * len(self)
        for i in np.flatnonzero(rows):
            values[i] = value_of(self._rules_of(int(i)), Chance(int(events[i])), int(numbers[i]))
        return values

    @changing
    def resume(self) -> None:
        """Let all games go on that pause after a round."""
        self._run(RESUME, np.where(self._states["player"] == PAUSED, 1, NO_ACTION))

    def _outcomes(self, i: int) -> tuple[str, list[tuple[Any, int, float]]]:
        game = self._states[i]
        if game["player"] != CHANCE_PLAYER:
            raise ValueError(f"game {i} waits for no chance event")
        return Chance(int(game["node"])).name.lower(), outcomes(game, self._rules_of(i))

    def _rules_of(self, i: int) -> np.void:
        return self._rules[self._states["ruleset"][i]]

    def _run(self, task: int, values: NDArray[np.int64]) -> None:
        if counting.counts and task == STEP:
            counting.add(int(np.count_nonzero(values != NO_ACTION)))
        if in_slices(kernels.run, self._threads, self._states, self._rules, task, values, self._stops):
            raise RuntimeError(why_stuck(self._states))

    def _why_illegal(self, row: int, action: int) -> str:
        game = self._states[row]
        player = int(game["player"])
        if player < 0:
            return f"game {row} {_IDLE[player]}: its action must be -1, not {action}"
        decision = Decision(int(game["node"])).name.lower()
        legal = [self.actions.text(int(a), player) for a in np.flatnonzero(self.copy([row]).legal()[0])]
        text = f"{self.actions.text(action, player)!r}" if 0 <= action < self.num_actions else "out of range"
        some = ", ".join(legal[:8]) + (", ..." if len(legal) > 8 else "")
        return f"game {row}: action {action} ({text}) is not legal in decision {decision} of player {player}: {some}"


trusted_games = Games._from_checked
"""For states that the engine itself has made in this process; nothing checks those that were changed."""


def why_stuck(states: NDArray[np.void]) -> str:
    """The first of these (n,) states that stands still though it is not finished, in words."""
    row = int(np.flatnonzero((states["player"] == FINISHED) & (states["node"] != FINISHED))[0])
    node = int(states["node"][row])
    what = "a card to turn up" if node == Chance.CARD else f"a legal action in decision {Decision(node).name.lower()}"
    return f"game {row} stands still without {what}: its state is none that a game comes to. Begin a new one with reset"


def _plain(value: Any) -> Any:
    """A chance value with lists for tuples and arrays, and Python's values for NumPy's; what is masked is None."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value
