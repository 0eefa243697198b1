"""Gives the jobs that are asked of the fleet to its robots; imports what robots report, and no ROS."""
