"""ROS programs and nodes for tests."""
