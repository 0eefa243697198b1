"""Random numbers, rounding, and periodic events; pure; imports nothing."""
