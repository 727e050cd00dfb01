"""Where on the picture an action is chosen: CSS selectors of what it marks (``ursuppe_env.render.svg``)."""

import numpy as np

from ursuppe_env.positions.facts import acting, asked_to_cling, moving, space_of, taking_cubes
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset


def marks(game: np.void, ruleset: Ruleset, action: str) -> list[str]:
    """Selectors of the elements that stand for an action (its text) in this state; none where nothing drawn does.

    The same element may stand for several actions.
    """
    word, _, rest = action.partition(" ")
    match word:
        case "start":
            return [f'.place[data-place="{rest}"]']
        case "space":
            return [_space(int(rest))]
        case "attack":
            return [f'.amoeba[data-amoeba="{rest}"]']
        case "tap":
            return [f'.player[data-player="{rest}"]']
        case "buy" | "discard":
            return [_gene(rest.split()[0])]
        case "defense" | "escape":
            return [_gene(word)]
        case "carry":
            carrier = taking_cubes(game)
            assert carrier is not None
            return [f'{_space(space_of(game, carrier) + 1)} .food[data-player="{rest}"]']
        case "cling":
            return [_amoeba(asked_to_cling(game, ruleset))]
        case "drift":
            return [".island", *_target(game, acting(game), ruleset.environment[game["card"]][0])]
        case "move" | "eat":
            return [_amoeba(acting(game))]
        case "again":
            return [_amoeba(moving(game))]
        case "stay":
            mover = moving(game)
            assert mover is not None
            return [_point(word), _space(space_of(game, mover) + 1)]
        case _ if game["node"] == Decision.DIRECTION:
            return [_point(word), *_target(game, moving(game), word)]
    return []


def _space(space: int) -> str:
    return f'.space[data-space="{space}"]'


def _gene(gene: str) -> str:
    return f'.gene[data-gene="{gene}"]'


def _point(direction: str) -> str:
    return f'.point[data-direction="{direction}"]'


def _amoeba(amoeba: Amoeba | None) -> str:
    assert amoeba is not None
    return f'.amoeba[data-amoeba="{amoeba_name(amoeba)}"]'


def _target(game: np.void, amoeba: Amoeba | None, direction: str) -> list[str]:
    """The space in this direction, if there is one."""
    assert amoeba is not None
    if direction not in DIRECTION_NAMES[:4]:
        return []
    target = int(NEIGHBOUR[space_of(game, amoeba), DIRECTION_NAMES.index(direction)])
    return [] if target == OBSTACLE else [_space(target + 1)]
