"""GamesCuda: N games of Ursuppe on a GPU, with the meanings of ``Games``."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env.batch import Batch
from ursuppe_env.cuda import bodies
from ursuppe_env.cuda.arrays import Array, Device, checked_output_there, checked_there
from ursuppe_env.games import Games, trusted_games, why_stuck
from ursuppe_env.line import counted
from ursuppe_env.observation import observation_size
from ursuppe_env.observation.encoding import AT_ACTING_SEAT, layout_record, seen_dtype
from ursuppe_env.rules.chance import reseeded
from ursuppe_env.rules.kernels import BEGIN, STEP
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import STATE
from ursuppe_env.validation import (
    checked_flag,
    checked_integers,
    checked_mask,
    checked_most,
    checked_num_games,
    checked_ruleset_index,
    checked_rulesets,
    checked_seats,
    checked_seed,
    checked_selection,
)


class GamesCuda(Batch):
    """N games at once on a GPU, each at a decision or finished; one thread a game (docs/gpu.md).

    The same seed and actions give the same games as ``Games``, byte for byte; they neither stop at chance events nor
    pause after rounds. What its methods return are arrays on the GPU, computed in the order of the calls, in the
    default stream, while the processor goes on; what waits for the GPU says so. Two things are therefore told late, by
    the next call that waits: an illegal action given to ``step(wait=False)`` (``ValueError``; nothing has changed since
    then), and a game that is stuck (``RuntimeError``).

    Args:
        num_games: N, at least 1.
        ruleset: the numbers and switches to play with, or a list of rulesets for the same number of players, as for
            ``Games``; default: 4 players, edition 1998.
        seed: 0 ... 2**64 - 1.
        index: (N,) which game of the seed each row plays; default 0 ... N-1.
        ruleset_index: (N,) which ruleset of the list each row plays; default: by turns.
        device: the GPU; None: the current one of numba-cuda.

    Raises:
        ValueError: an argument is out of its range, or there is no GPU.
        MissingExtraError: the extra ``cuda`` is not installed.
    """

    def __init__(
        self,
        num_games: int,
        ruleset: Ruleset | Mapping[str, Any] | Sequence[Ruleset] | None = None,
        seed: int = 0,
        index: ArrayLike | None = None,
        ruleset_index: ArrayLike | None = None,
        device: Device | None = None,
    ) -> None:
        num_games = checked_num_games("num_games", num_games)
        self._play_with(checked_rulesets(Ruleset() if ruleset is None else ruleset))
        seed = checked_seed("seed", seed)
        self._use(_current_gpu() if device is None else device)
        blank = np.zeros(1, STATE)
        blank["episode"] = -1
        self._hold(self._gathered(self._device.from_host(blank), np.zeros(num_games, np.int64)))
        everyone = np.arange(num_games)
        if ruleset_index is None:
            ruleset_index = everyone % len(self._rulesets)
        self.reset(seed=seed, index=everyone if index is None else index, ruleset_index=ruleset_index)

    @classmethod
    def from_games(cls, games: Games, device: Device | None = None) -> "GamesCuda":
        """Copies of these games on a GPU, with the same future.

        ``ValueError``: they stop at chance events or after rounds, or there is no GPU.
        """
        for option in ("explicit_chance", "pause_after_rounds"):
            if getattr(games, option):
                raise ValueError(f"games has {option}=True; on a GPU games stop at decisions alone: it must be False")
        found: GamesCuda = object.__new__(cls)
        found._play_as(games)
        found._use(_current_gpu() if device is None else device)
        found._hold(found._device.from_host(games.state))
        return found

    def to_games(self, threads: int | None = None) -> Games:
        """Copies of these games in the processor's memory, with the same future; ``threads`` as for ``Games``.

        Waits for the GPU.
        """
        self._tell()
        return trusted_games(self._device.to_host(self._states), self._rulesets, threads)

    def _use(self, device: Device) -> None:
        self._device = device
        self._rules_there = device.from_host(self._rules)
        self._faults = device.from_host(np.zeros(bodies.NUM_FAULTS, np.int32))
        self._any_seed = device.from_host(np.zeros(1, np.uint64))
        self._is_unheard = False  # may an action have been refused that nobody has been told of?
        self._seats: dict[int, Array] = {}  # (N,) the same seat for each game

    def _hold(self, states: Array) -> None:
        self._states = states
        n = len(states)
        self._everyone = self._device.from_host(np.ones(n, np.bool_))
        self._values = self._device.empty((n,), np.int64)  # what ``run`` is given

    # ------------------------------------------------------------------ what there is to see

    def __len__(self) -> int:
        return len(self._states)

    @property
    def device(self) -> Device:
        """Where the games are kept."""
        return self._device

    def __repr__(self) -> str:
        rules = repr(self.ruleset) if len(self._rulesets) == 1 else counted(len(self._rulesets), "ruleset")
        return f"<GamesCuda: {counted(len(self), 'game')}, {rules}>"

    @property
    def state(self) -> Array:
        """(N,) structured array on the GPU, the state itself (docs/positions.md); not to be written to."""
        return self._states

    @property
    def player(self) -> Array:
        """(N,) int8, who decides; -1 finished."""
        return self._read(bodies.read_player, np.int8)

    @property
    def decision(self) -> Array:
        """(N,) int8, which decision (``Decision``); -1 finished."""
        return self._read(bodies.read_decision, np.int8)

    @property
    def finished(self) -> Array:
        """(N,) bool, which games are over."""
        return self._read(bodies.read_finished, np.bool_)

    @property
    def winner(self) -> Array:
        """(N,) int8, the player with the furthest marker; -1 until the end."""
        return self._read(bodies.read_winner, np.int8)

    @property
    def rounds(self) -> Array:
        """(N,) int8, the round, from 1; 0 during the set-up."""
        return self._read(bodies.read_round, np.int8)

    @property
    def markers(self) -> Array:
        """(N, P) int16, places on the track; 0 before the start place is taken."""
        return self._read(bodies.read_markers, np.int16, self.num_players)

    def _read(self, body: Callable[..., None], dtype: DTypeLike, *shape: int) -> Array:
        out = self._device.empty((len(self), *shape), dtype)
        self._launch(body, self._states, out)
        return out

    def legal(self, out: Array | None = None) -> Array:
        """The action masks: (N, A) int8, 1 where legal; written into ``out``, an array on the GPU, if it is given."""
        out = checked_output_there(self._device, "out", out, (len(self), self.num_actions), np.int8)
        self._launch(bodies.write_mask, self._states, out)
        return out

    def observe(
        self, seat: Any = None, out: Array | None = None, rules: bool = False, masks: Array | None = None
    ) -> Array:
        """The observations: (N, F) float32, seen by the deciding player, or by the seat or the (N,) seats given.

        Args:
            seat: who sees, 0 ... P-1: one for all games, or (N,) integers, one a game; None: who decides. Of those on
                the GPU (int64) nobody is told which do not exist: their rows are 0.
            out: (N, F) float32 on the GPU, to be written into; None: a new array.
            rules: show the ruleset of each game too.
            masks: (N, A) int8 on the GPU; gets what ``legal`` gives, in the same launch.

        Raises:
            ValueError: a seat does not exist, or an array is not of this shape and dtype.
        """
        n, players = len(self), self.num_players
        shows_rules = checked_flag("rules", rules)
        out = checked_output_there(self._device, "out", out, (n, observation_size(players, shows_rules)), np.float32)
        has_masks = masks is not None
        if has_masks:
            masks = checked_output_there(self._device, "masks", masks, (n, self.num_actions), np.int8)
        seen, layout, no_rules, no_masks = self._observing
        seen_of = self._states, self._rules_there, self._seats_of(seat), self._rules_rows if shows_rules else no_rules
        shown = masks if has_masks else no_masks
        self._launch(bodies.observe, *seen_of, int(has_masks), shown, out, seen, layout)
        return out

    @cached_property
    def _observing(self) -> tuple[Array, Array, Array, Array]:
        """What observations are made with: room to work in (N,), the layout (1,), and what stands for no arrays.

        A launch cannot have an empty array in place of rulesets that are not shown, or of masks that nobody wants.
        """
        device, players = self._device, self.num_players
        return (
            device.empty((len(self),), seen_dtype(players)),
            device.from_host(layout_record(players)),
            device.empty((1, 1), np.float32),
            device.empty((1, self.num_actions), np.int8),
        )

    @cached_property
    def _rules_rows(self) -> Array:
        """(R, S) what observations show of the rulesets."""
        return self._device.from_host(self._shown_rules())

    def _seats_of(self, seat: Any) -> Array:
        """(N,) int64 on the GPU."""
        if seat is None:
            seat = AT_ACTING_SEAT
        elif (there := self._device.taken(seat)) is not None:
            seats = self._device.empty((len(self),), np.int64)
            self._launch(bodies.take_seat, self._checked_there("seat", there, np.int64), self.num_players, seats)
            return seats
        else:
            seats = checked_seats(seat, len(self), self.num_players)
            if np.ndim(seat) > 0:
                return self._device.from_host(seats)
            seat = int(seats[0])
        if seat not in self._seats:
            self._seats[seat] = self._device.from_host(np.full(len(self), seat, np.int64))
        return self._seats[seat]

    # ------------------------------------------------------------------ playing

    def step(self, actions: Any, wait: bool = True, mask: Any = None) -> None:
        """Take one action in every game.

        Args:
            actions: (N,) integers, one a game; -1 where nobody decides. On the GPU: int64.
            wait: until the GPU has looked at all actions. If not, illegal ones are told by the next call that waits.
            mask: (N,) bool on the GPU, the games that go on; the others stand still, whatever their actions. None: all.

        Raises:
            ValueError: an action is not legal in its game, or the array is not of this shape and dtype. Nothing is
                changed in any game then.
            RuntimeError: a game was stuck after an earlier call.
        """
        wait = checked_flag("wait", wait)
        there = self._sent("actions", actions, np.int64, lambda: checked_integers("actions", actions, len(self)))
        rows = self._everyone
        if mask is not None:
            rows = self._checked_there("mask", self._device.taken(mask), np.bool_)
        if wait and self._is_unheard:
            self._tell()
        self._is_unheard = not wait
        self._launch(bodies.check_action, self._states, rows, there, self._values, self._faults)
        if wait:
            self._tell(self._values)
        self._run(STEP, self._values)

    def step_random(self) -> Array:
        """Take a uniformly random legal action in every game: the (N,) int64 actions, -1 where nobody decides."""
        actions = self._device.empty((len(self),), np.int64)
        self._launch(bodies.choose_random_action, self._states, self._everyone, actions, self._faults)
        self._run(STEP, actions)
        return actions

    def play_random(self, max_decisions: int | None = None, restart: bool = False) -> Array:
        """Play on with random legal actions in one launch, and return the (N,) int64 numbers of decisions made.

        Args:
            max_decisions: at most so many a game; None: to the end.
            restart: follow a finished game by the row's next one (needs ``max_decisions``).

        Raises:
            ValueError: an argument is out of its range.
        """
        most, restart = checked_most(max_decisions, restart)
        made = self._device.empty((len(self),), np.int64)
        self._launch(bodies.play, self._states, self._rules_there, most, restart, made, self._faults)
        return made

    def reset(
        self,
        mask: Any = None,
        seed: int | None = None,
        index: ArrayLike | None = None,
        ruleset_index: ArrayLike | None = None,
    ) -> None:
        """Begin new games in all rows, or in those of the (N,) bool ``mask``.

        Args:
            mask: the rows, such as ``finished``; the others go on, and what is given for them below does not count.
            seed: of which each row begins episode 0; without one it goes on to its next episode.
            index: (N,) another index for the rows, in the processor's memory.
            ruleset_index: (N,) another ruleset for the rows; also what does not count must be the place of a ruleset.
                On the GPU (int64) nobody is told which are none.

        Raises:
            ValueError: an argument is out of its range; nothing is changed then.
        """
        n, device = len(self), self._device
        rows = self._everyone
        if mask is not None:
            rows = self._sent("mask", mask, np.bool_, lambda: checked_mask(mask, n))
        given, seeds = 0, self._any_seed  # what is not given is of the right type, and does not count
        indices = played = self._values
        if seed is not None:
            given |= bodies.SEED
            seeds = device.from_host(np.array([checked_seed("seed", seed)], np.uint64))
        if index is not None:
            given |= bodies.INDEX
            indices = device.from_host(checked_integers("index", index, n))
        if ruleset_index is not None:
            given |= bodies.RULESET
            numbers = ruleset_index, np.ones(n, np.bool_), len(self._rulesets)
            played = self._sent("ruleset_index", ruleset_index, np.int64, lambda: checked_ruleset_index(*numbers))
        keys = given, seeds, indices, played
        self._launch(bodies.key_episode, self._states, rows, *keys, self._values, self._faults)
        self._run(BEGIN, self._values)

    def copy(self, index: Any = None, reseed: int | None = None) -> "GamesCuda":
        """New ``GamesCuda`` with copies of these rows.

        Args:
            index: the rows, an index array, slice or mask in the processor's memory; None: all.
            reseed: None keeps the random streams, so that the copies have the same future; an integer gives fresh
                streams that depend on it and the row of the copy alone.

        Raises:
            ValueError: ``index`` selects no rows or some that do not exist, or ``reseed`` is no seed.
        """
        rows = np.arange(len(self))
        games: GamesCuda = object.__new__(GamesCuda)
        games._play_as(self)
        games._use(self._device)
        games._hold(self._gathered(self._states, rows if index is None else rows[checked_selection(index, len(self))]))
        if reseed is not None:
            with np.errstate(over="ignore"):
                seed = reseeded(np.uint64(checked_seed("reseed", reseed)))
            games._launch(bodies.key_copy, games._states, self._device.from_host(np.array([seed], np.uint64)))
        return games

    def __deepcopy__(self, memo: dict[int, Any]) -> "GamesCuda":
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("games on a GPU cannot be pickled; pickle games.to_games()")

    def synchronize(self) -> None:
        """Wait until the GPU has done all that it was asked for, and hear what went wrong.

        Raises:
            ValueError: an illegal action was given to ``step(wait=False)``.
            RuntimeError: a game is stuck.
        """
        self._device.synchronize()
        self._tell()

    def _sent(self, name: str, given: Any, dtype: DTypeLike, checked: Callable[[], NDArray[Any]]) -> Array:
        """(N,) on the GPU: what is given, if it is there, or a copy of what is ``checked`` here."""
        there = self._device.taken(given)
        return self._device.from_host(checked()) if there is None else self._checked_there(name, there, dtype)

    def _checked_there(self, name: str, array: Array | None, dtype: DTypeLike) -> Array:
        return checked_there(name, array, (len(self),), dtype)

    def _run(self, task: int, values: Array) -> None:
        self._launch(bodies.run, self._states, self._rules_there, task, values, self._faults)

    def _gathered(self, sources: Array, rows: NDArray[np.int64]) -> Array:
        """(n,) the states of these rows of (N,) sources."""
        states = self._device.empty((len(rows),), STATE)
        self._device.launch(bodies.gather, len(rows), sources, self._device.from_host(rows), states)
        return states

    def _launch(self, body: Callable[..., None], *arguments: Any) -> None:
        self._device.launch(body, len(self), *arguments)

    def _tell(self, actions: Array | None = None) -> None:
        """Wait for the GPU, and raise what went wrong: at the step with these actions, or before."""
        refused, stuck = self._device.to_host(self._faults).tolist()
        self._is_unheard = False
        if not refused and not stuck:
            return
        self._faults = self._device.from_host(np.zeros(bodies.NUM_FAULTS, np.int32))
        if refused and actions is None:
            what = "an action given to an earlier step(wait=False) was not legal; no game has changed since then"
            raise ValueError(f"{what}. step(wait=True) says which one")
        states = self._device.to_host(self._states)
        if refused:
            trusted_games(states, self._rulesets).step(self._device.to_host(actions))  # says what is wrong
        raise RuntimeError(why_stuck(states))


def _current_gpu() -> Device:
    from ursuppe_env.cuda.device import current_gpu  # needs the extra

    return current_gpu()
