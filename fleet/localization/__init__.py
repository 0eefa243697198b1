"""Estimates robots' poses: wheel odometry corrected by measured poses; pure; imports `settings` and `wheels`."""
