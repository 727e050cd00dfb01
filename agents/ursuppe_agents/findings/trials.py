"""What all trials of genes behind the findings have in common, and how their studies tell how far they are."""

from collections.abc import Callable

#: In which purchases are interfered with: what is bought later hardly matters any more.
TRIAL_ROUNDS = (1, 2, 3, 4, 5, 6)
#: BP that are given to find out what a BP does.
BONUS = 5

OnProgress = Callable[[str, int, int], None]
"""Called with the name of a study, how many of its games are over, and how many it has."""
