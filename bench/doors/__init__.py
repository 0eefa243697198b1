"""Sends bad requests to every door (input channel) of every program, and counts answers, deaths and late ticks."""
