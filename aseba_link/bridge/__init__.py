"""Decisions of the ROS bridge: which nodes it accepts and what they run; pure; imports `aesl`, `host`, `link`."""
