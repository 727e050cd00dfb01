"""Environments on top of ``Games``, one module for each interface."""
