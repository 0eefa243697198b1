"""Decisions of the bridge to ROS: which nodes it accepts and what they run; pure; imports `aesl`, `host`, `link`."""
