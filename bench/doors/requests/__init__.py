"""Makes requests: valid ones, and ones that are wrong in one place."""
