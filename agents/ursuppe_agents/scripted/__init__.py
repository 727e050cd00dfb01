"""Scripted agents: one module a strategy, what they share in ``tactics``."""
