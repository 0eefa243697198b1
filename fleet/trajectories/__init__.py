"""When to be where on a path: limits, speed profiles, trajectories; pure; imports `paths`."""
