"""The simulator's face on ROS: topics and services; imports `simulation` and below."""
