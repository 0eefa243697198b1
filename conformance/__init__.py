"""Tests servers of the robots' interface from the outside; depends on ROS and message types, not on our servers."""
