"""Random numbers, rounding, and regular instants; pure; imports nothing."""
