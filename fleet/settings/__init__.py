"""Readers of the files that users write: fleet, paths, calibration; imports `control` and below."""
