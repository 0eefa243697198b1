"""Brings up simulated robots, right ones and ones with a fault each, and prints what was named."""
