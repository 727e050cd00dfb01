"""Whom the learner plays: drawn, seated and counted; its past states."""
