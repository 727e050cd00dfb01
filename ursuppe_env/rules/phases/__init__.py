"""The set-up and the phases of a round (rules.md sections 6 and 7)."""
