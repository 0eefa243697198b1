"""Draws the floor and its scale bar with matplotlib, for views and pictures."""
