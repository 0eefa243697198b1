"""Reads what robots, drivers and the simulator publish on ROS."""
