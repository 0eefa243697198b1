"""What is done with a server while it is observed: scenarios, and which of them a run has; knows no ROS."""
