"""Checks the files that users write, of every kind, and whether a fleet fits a simulated world."""
