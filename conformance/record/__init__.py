"""Observations: recordings, the windows of their scenarios, and findings; independent of ROS."""
