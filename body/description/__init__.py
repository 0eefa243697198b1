"""Reads a robot's URDF with `rbc` tags."""
