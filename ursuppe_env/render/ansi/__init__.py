"""A picture of one game for a terminal: board, score track, players, cards and what is being decided.

Everything is told by characters, so that the picture can be read without colours: ``2.3`` is amoeba 3 of player 2
(as in the action texts), one ``•`` behind it a damage point, ``2■4`` four cubes of player 2's colour. Colours only
repeat the player's number.
"""

import numpy as np

from ursuppe_env.games import Games


def draw_ansi(games: Games, i: int, last_action: str | None = None, color: bool = True) -> str:
    """Draw game i as text: 100 columns wide, with 5 and 6 players 120.

    Args:
        games: the games.
        i: the row of the game, 0 ... N-1.
        last_action: what is shown as the last action, such as ``"player_1: space 3"``; None: nothing.
        color: mark the players by colours too (ANSI escape codes); False: plain characters only.

    Raises:
        ValueError: there is no game i.
    """
    from ursuppe_env.render.ansi.picture import draw  # loads Rich, for which a program that draws nothing need not wait

    _check_row(games, i)
    return draw(games.state[i], games.ruleset, last_action, color)


def draw_compact(games: Games, i: int, color: bool = True) -> str:
    """Draw the board and the players of game i as text of 80 columns, for a small terminal.

    Args:
        games: the games.
        i: the row of the game, 0 ... N-1.
        color: mark the players by colours too (ANSI escape codes); False: plain characters only.

    Raises:
        ValueError: there is no game i.
    """
    from ursuppe_env.render.ansi.picture import draw_in_short

    _check_row(games, i)
    return draw_in_short(games.state[i], games.ruleset, color)


def _check_row(games: Games, i: int) -> None:
    if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i < len(games):
        raise ValueError(f"i is {i!r}; it must be the row of a game, an integer from 0 to {len(games) - 1}")
