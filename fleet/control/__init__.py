"""Control laws: each converts a robot's state and its reference to a motion; pure; imports `trajectories`."""
