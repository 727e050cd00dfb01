"""The findings about the balance of the game: ``python -m studies.findings`` writes ``docs/balance.md``."""

from ursuppe_env.extras import require_extra

require_extra("balance")
