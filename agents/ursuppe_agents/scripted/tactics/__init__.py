"""How scripted players decide, compiled: one module a phase of the rules, shared by all strategies."""
