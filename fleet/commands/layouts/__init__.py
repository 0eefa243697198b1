"""Layouts for RViz, Foxglove and master controls."""
