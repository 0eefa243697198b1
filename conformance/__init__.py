"""Tests servers of the robots' interface by what they say; knows ROS and message types, and no server of ours."""
