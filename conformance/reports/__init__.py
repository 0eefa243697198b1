"""Reports of a run: for the terminal, for programs and for people; knows no ROS."""
