"""Starts ROS in a program: the environment is checked first."""
