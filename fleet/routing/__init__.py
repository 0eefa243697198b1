"""Finds ways for robots that meet nobody: over a roadmap, straight, or along a fixed path; pure."""
