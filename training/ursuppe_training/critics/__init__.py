"""Critics of their own: fitted to how games of a finished policy ended."""
