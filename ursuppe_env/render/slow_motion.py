"""An event of a game in slow motion: all that it leads to before anybody is asked again, one thing at a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ursuppe_env.rules import flow
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.chance import number_of
from ursuppe_env.rules.legal import forbid_all, legal_action
from ursuppe_env.rules.nodes import FINISHED, Chance, Decision, Stage
from ursuppe_env.rules.ruleset import Ruleset


class Occurrence(NamedTuple):
    """One thing that happens: a decision, even with a single legal action, a chance event or a stage of the rules."""

    before: np.void  # its ``node`` says what happens
    action: str  # the text of what is decided; "" where nobody decides
    after: np.void


def slow_motion(game: np.void, event: list[Any] | None, ruleset: Ruleset) -> Iterator[Occurrence]:
    """The scenes of an event, its own first; the last one ends where games stop that stop wherever they can.

    The rules are those that ``flow.advance`` runs through without a stop.

    Args:
        game: the state before it, which stays as it is.
        event: as records have it, one that is possible; None: the game goes on after the pause at the end of a round.
        ruleset: the numbers.
    """
    rules, actions = ruleset.record[0], actions_for(ruleset.players)
    before, action, game = game.copy(), "", game.copy()
    if event is None:
        flow.run_stage(game, rules)
    elif len(event) == 2:
        flow.resolve(game, rules, number_of(game, rules, event[1]))
    else:
        action = event[2]
        flow.apply(game, rules, actions.id(action, event[1]))
    while True:
        yield Occurrence(before, action, game.copy())
        before, action = game.copy(), ""
        node = int(game["node"])
        if node in (FINISHED, Stage.NEXT_ROUND) or Chance.CARD <= node <= Chance.FIGHT:
            return
        if node > Decision.AGGRESS:
            flow.run_stage(game, rules)
            continue
        forbid_all(game)
        flow.find_legal_actions(game, rules)
        if game["num_legal"] != 1:
            return
        only = int(legal_action(game, 0))
        action = actions.text(only, int(game["player"]))
        flow.apply(game, rules, only)
