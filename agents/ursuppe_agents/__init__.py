"""Agents that play Ursuppe, by the registered names or by classes of one's own."""

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import agent_names, make_agent

__all__ = ["Agent", "agent_names", "make_agent"]
