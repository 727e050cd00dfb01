"""Trained policies: how they play, without torch; their files, and those that come with the package."""
