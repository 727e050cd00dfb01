"""Look-ahead and Monte-Carlo tree search: what ``greedy`` and ``search`` think with."""
