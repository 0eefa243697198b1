"""Paths with times: limits, speed profiles, trajectories; pure; imports `paths`."""
