"""Layouts of RViz and Foxglove for the robots of a fleet."""
