"""Disorder on one floor: random tasks, stops, losses, pushes and hand-overs, and what must not happen then."""
