"""A policy that sees the board: spaces, amoebas, seats and actions are sets, each with weights of its own.

``inputs.py`` says what the network gets of a position, ``rules.py`` what of its ruleset, ``effects.py`` what each legal
action changes at once, ``weights.py`` which layers there are, and ``network.py`` computes them (``forward.py``,
compiled); while it learns, ``ursuppe_training.networks.board`` does.
"""
