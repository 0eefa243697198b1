"""Sums all reachers' commands within the limits of the body."""
