"""Carries out commands on ROS, as an ordinary client of the interface."""
