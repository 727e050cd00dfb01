"""The game itself: plain functions over one record, compiled by Numba; no RL, no I/O (rules.md)."""
