"""Which Chromium the tests drive: one that the system has."""

import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str | None:
    """Its file; None if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), None)
