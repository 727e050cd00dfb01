"""What ``ppo_peers.py`` compares: one job, and the trainers that do it."""
