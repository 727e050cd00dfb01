"""Measures: small functions from what happened in games to numbers, one a game.

A measure takes a ``Chronicle`` of N games and returns its figures by name, each an (N,) array, of which the mean is of
interest, or a ``Ratio``. The names depend on the ruleset alone, not on what was played. Measures are registered as
entry points of the group ``ursuppe.balance_measures``; in a study, ``module:function`` names one of your own.
"""

from ursuppe_lab.balance.measures.loading import Measure, Ratio, load_measure, measure_names

__all__ = ["Measure", "Ratio", "load_measure", "measure_names"]
