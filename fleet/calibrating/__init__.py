"""Measures wheels and proximity sensors of a robot: `thymio-fleet calibrate`."""
