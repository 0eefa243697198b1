"""Reads a robot's description from a file, and expands xacro in a separate process with limited resources."""
