"""Measures how good assignments are, what the book costs, and the whole fleet with jobs."""
