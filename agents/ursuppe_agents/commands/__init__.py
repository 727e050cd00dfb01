"""The commands that this package adds to ``ursuppe``; one file a command."""
