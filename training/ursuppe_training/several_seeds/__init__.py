"""The same training with several seeds, and their report."""
