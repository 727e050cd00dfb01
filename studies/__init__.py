"""What pages of results show: ``python -m studies.balance`` and ``python -m studies.benchmark``.

Each part of a page is a module that makes tables, by the names of the places in the page that they are written to
(``pages``), of what was played. The prose of the pages is written by hand.
"""

from ursuppe_env.extras import require_extra

require_extra("balance")
