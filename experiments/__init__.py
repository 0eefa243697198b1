"""Experiments: the fleet in the simulator's world, many robots in one thread; random numbers come from seeds."""
