"""Pictures of a game, drawn from its record and its ruleset."""
