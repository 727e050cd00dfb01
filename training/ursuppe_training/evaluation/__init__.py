"""How often a policy wins, over a run, and which policy of a run is the best."""
