"""Reads a robot's description from its file, and expands xacro in a bounded process of its own."""
