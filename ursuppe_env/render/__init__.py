"""Pictures of a game, drawn from its state alone."""

from ursuppe_env.render.ansi import draw_ansi, draw_compact

__all__ = ["draw_ansi", "draw_compact"]
