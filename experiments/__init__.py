"""Experiments: the fleet in the simulator's world, with many robots in one thread and seeded random numbers."""
