"""Ray, as a busy machine needs it."""

import os

# After a minute Ray gives up a worker that has not begun, and begins another one: for ever, where each needs longer.
os.environ["RAY_worker_register_timeout_seconds"] = "900"  # noqa: SIM112
