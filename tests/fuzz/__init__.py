"""Mutated states and positions: refused in words, or played on to the end. ``make fuzz``."""
