"""What a batch of games has before one looks at any of them: its rulesets, and all that follows from these."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.observation import observation_layout, observation_size
from ursuppe_env.observation.parts import rules_rows
from ursuppe_env.rules.actions import Actions, actions_for
from ursuppe_env.rules.ruleset import RULES, Ruleset


@cache
def num_actions(players: int) -> int:
    """A, the number of action ids with so many players."""
    return len(actions_for(players))


class Batch:
    """A batch of games, wherever their states are kept: the rulesets that they are played with."""

    _rulesets: tuple[Ruleset, ...]
    _rules: NDArray[np.void]
    _shown_rules: Callable[[], NDArray[np.float32]]

    def _play_with(self, rulesets: tuple[Ruleset, ...]) -> None:
        self._rulesets = rulesets
        if len(rulesets) == 1:
            self._rules = rulesets[0].record
        else:  # as plain memory: NumPy joins records field by field, which takes a hundred times as long
            self._rules = np.concatenate([one.record.view(f"V{RULES.itemsize}") for one in rulesets]).view(RULES)
        self._rules.flags.writeable = False
        # (R, S) what observations show of the rulesets: computed when it is first asked for, once for all copies.
        self._shown_rules = cache(partial(rules_rows, rulesets))

    def _play_as(self, other: "Batch") -> None:
        """With the rulesets of another batch."""
        self._rulesets, self._rules, self._shown_rules = other._rulesets, other._rules, other._shown_rules

    @property
    def ruleset(self) -> Ruleset:
        """What all games are played with; ``ValueError``: they have several rulesets."""
        if len(self._rulesets) > 1:
            which = "games.ruleset_of(i), which is games.rulesets[games.ruleset_index[i]]"
            raise ValueError(f"these games have {len(self._rulesets)} rulesets; game i is played with {which}")
        return self._rulesets[0]

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets of the batch, for the same number of players; often one alone."""
        return self._rulesets

    @property
    def rules(self) -> NDArray[np.void]:
        """(R,) the batch's rulesets as compiled code reads them, read-only: of dtype ``RULES`` in ``rules.ruleset``."""
        return self._rules

    @property
    def num_players(self) -> int:
        """P, the number of players."""
        return self._rulesets[0].players

    @property
    def actions(self) -> Actions:
        """Action ids and their texts: ``actions.text(id, player)``, ``actions.id(text, player)``."""
        return actions_for(self.num_players)

    @property
    def num_actions(self) -> int:
        """A, the number of action ids; depends on the number of players alone."""
        return num_actions(self.num_players)

    @property
    def observation_size(self) -> int:
        """F, the length of an observation without the ruleset; depends on the number of players alone."""
        return observation_size(self.num_players)

    @property
    def observation_size_with_rules(self) -> int:
        """F of ``observe(rules=True)``."""
        return observation_size(self.num_players, rules=True)

    @property
    def observation_layout(self) -> dict[str, slice]:
        """Named slices of an observation row: ``row[games.observation_layout["bp"]]``."""
        return observation_layout(self.num_players)

    @property
    def observation_layout_with_rules(self) -> dict[str, slice]:
        """Those of ``observe(rules=True)``: the same, then the ruleset's, such as ``rules_price``."""
        return observation_layout(self.num_players, rules=True)
