"""Brings up simulated robots, sound or with one fault each, and prints the diagnoses."""
