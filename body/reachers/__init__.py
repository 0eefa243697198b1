"""Reachers, which move a body to a new state, and extenders, which derive state; both advance in pure steps."""
