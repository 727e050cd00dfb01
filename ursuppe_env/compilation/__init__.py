"""How games are compiled, and where the compiled code is kept."""
