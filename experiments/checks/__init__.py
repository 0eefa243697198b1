"""Checks users' files of every kind, and whether a fleet fits a simulated world."""
