"""Experiments: the fleet's own robots in the simulator's world, many at once in one thread, each number from a seed."""
