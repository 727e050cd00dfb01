"""Commands of `ursuppe`, found by entry points."""
