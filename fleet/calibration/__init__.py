"""Procedures to measure wheels and proximity sensors, and their fits; pure; imports `settings` and `wheels`."""
