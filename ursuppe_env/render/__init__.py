"""Pictures of a game, drawn from its state alone."""

from ursuppe_env.render.ansi import draw_ansi

__all__ = ["draw_ansi"]
