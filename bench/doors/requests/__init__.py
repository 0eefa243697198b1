"""Makes requests: valid ones, and ones with a fault in one place."""
