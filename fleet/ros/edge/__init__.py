"""What all parts of the driver's ROS edge share: the edge itself, and which clients are present."""
