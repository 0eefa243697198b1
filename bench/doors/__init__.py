"""Sends bad requests through every door of every program, and counts answers, deaths and late ticks."""
