"""Measures the dashboard: its cost, how soon it shows a fleet, and whether it grows."""
