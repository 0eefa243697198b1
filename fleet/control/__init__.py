"""Control laws: each turns a robot's state and its reference into a motion; pure; imports `trajectories`."""
