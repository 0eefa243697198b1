"""Differential drive, and the calibration of a robot's wheels and sensors; pure."""
