"""Readers of user-written files: fleet, paths, calibration; imports `control` and below."""
