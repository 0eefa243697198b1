"""What all parts of the driver's ROS edge work with: the edge itself, and which clients are present."""
