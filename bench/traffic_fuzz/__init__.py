"""Fuzzes traffic on one floor: random tasks, stops, losses, pushes and hand-overs, with invariants checked."""
