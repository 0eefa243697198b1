"""What was observed: recordings, the windows of scenarios in them, and findings; knows no ROS."""
