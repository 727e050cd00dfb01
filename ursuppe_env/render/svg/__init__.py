"""The picture of a game as SVG: the table as players know it, in a drawing of our own.

The picture is 800 px wide; its height depends on the ruleset alone. What the state says can be found in it by its
marks, as tests do:

=====================  =============================================================================
Element of the class   Attributes
=====================  =============================================================================
``space``              ``data-space`` 1 ... 19; ``data-centre`` where it happens
``food`` in a space    ``data-player`` the colour, ``data-count`` the cubes
``amoeba`` in a space  ``data-amoeba`` such as 2.3 (2.? is still to be chosen), ``data-player``, ``data-damage``;
                       ``data-sign`` acts, attacked, asked or clings
``place`` ``end-zone`` of the track: ``data-place``
``marker``             ``data-player``, ``data-place``; 0 before the start place is taken
``player``             ``data-place``, ``data-bp``, ``data-amoebas``, ``data-reserve``, ``data-mp``;
                       ``data-sign`` decides or winner
``gene``               ``data-gene``, ``data-price``, ``data-left`` cards in the supply
``owner`` in a gene    ``data-player``, ``data-bought`` the round; ``data-used`` cannot answer again
``island``             ``data-direction``, ``data-ozone``
``point`` in it        of the compass, its middle too: ``data-direction`` west, north, east, south or stay
``cards``              environment cards left: ``data-direction``, ``data-ozone``
``carried``            cubes on their way: ``data-player`` the colour, ``data-count``, ``data-carrier`` whose amoebas
                       carry them
``die``                ``data-face``
=====================  =============================================================================
"""

import numpy as np

from ursuppe_env.line import quoted
from ursuppe_env.render.svg.board import draw_board
from ursuppe_env.render.svg.bottom import draw_status, draw_track, picture_height
from ursuppe_env.render.svg.corners import draw_corners
from ursuppe_env.render.svg.elements import picture, rectangle
from ursuppe_env.render.svg.tables import draw_tables
from ursuppe_env.render.svg.theme import OF_THE_PAGE, THEMES, WIDTH, Scene
from ursuppe_env.rules.ruleset import Ruleset

__all__ = ["Picture", "draw_svg"]

_THEMES = {**THEMES, "page": OF_THE_PAGE}


class Picture(str):
    """The markup of an SVG picture; Jupyter shows it as a picture where a cell ends in it."""

    def __repr__(self) -> str:
        return f"<Picture: {len(self):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return str(self)


def draw_svg(game: np.void, ruleset: Ruleset, last_action: str | None = None, theme: str = "light") -> Picture:
    """Draw a game.

    Args:
        game: its record, ``games.state[i]``.
        ruleset: the numbers it is played with.
        last_action: what is shown as the last action, such as ``"player_1: space 3"``; None: nothing.
        theme: "light", "dark", or "page": colours are variables of CSS, to which the page that shows the picture gives
            values (``ursuppe_env.render.svg.theme.style_sheet``), and there is no style in the markup itself.

    Raises:
        ValueError: there is no such theme, or ``last_action`` is no text.
    """
    if last_action is not None and not isinstance(last_action, str):
        raise ValueError(f"last_action is {quoted(last_action)}; it must be a text or None")
    if not isinstance(theme, str) or theme not in _THEMES:
        raise ValueError(f"theme is {quoted(theme)}; it must be 'light', 'dark' or 'page'")
    scene = Scene(game, ruleset, _THEMES[theme])
    height = picture_height(ruleset.end_zone)
    # A page with a strict policy would refuse a style in the markup.
    style = {} if theme == "page" else {"style": "max-width:100%;height:auto"}
    about = {"class_": "ursuppe", "data_theme": theme, "role": "img", "aria_label": "A game of Ursuppe"}
    drawing = picture(WIDTH, height, **style, **about)
    rectangle(drawing, 0, 0, WIDTH, height, fill=scene.theme.paper)
    draw_board(drawing, scene)
    draw_corners(drawing, scene)
    draw_tables(drawing, scene)
    draw_track(drawing, scene)
    draw_status(drawing, scene, last_action)
    return Picture(drawing.markup())
