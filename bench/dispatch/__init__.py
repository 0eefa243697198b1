"""Measures the quality of assignments, the cost of the book, and the whole fleet with jobs."""
