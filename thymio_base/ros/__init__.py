"""Shared by all our ROS programs: executors, logger, diagnostics, poses as bytes; imports nothing else of ours."""
