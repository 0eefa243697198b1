"""The parts that the driver's whole ROS edge shares: the edge itself, and the presence of clients."""
