"""Plays scenarios with a server while it is observed; independent of ROS."""
