"""Gives the fleet's jobs to its robots; imports what robots report, and no ROS."""
