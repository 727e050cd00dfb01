"""Whom the learner plays: drawn and seated; its past states."""
