"""Measures the dashboard: its cost, its delays, and whether its memory grows."""
