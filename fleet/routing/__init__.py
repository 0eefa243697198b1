"""Finds conflict-free ways for robots: straight, over a roadmap, or along a fixed path. Pure."""
