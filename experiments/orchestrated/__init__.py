"""Runs experiments as stacks of ROS nodes under an orchestrator, several times, and compares the runs."""
