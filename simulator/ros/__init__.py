"""The simulator's ROS interface: topics and services; imports `simulation` and below."""
