"""Rollouts of self-play, and updates of the policy by PPO."""
