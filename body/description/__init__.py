"""Reads the URDF of a robot, with its `rbc` tags."""
