"""Agents that play Ursuppe, by the registered names or by classes of one's own."""

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import agent_names, agent_spec, make_agent
from ursuppe_agents.simple_agent import SimpleAgent

__all__ = ["Agent", "SimpleAgent", "agent_names", "agent_spec", "make_agent"]
