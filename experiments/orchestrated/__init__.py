"""Runs experiments several times as stacks of ROS nodes under an orchestrator, and compares the runs."""
