"""Decisions of the bridge to ROS: which nodes it accepts, what they run; pure; imports `aesl`, `host`, `link`."""
