"""Reports of a run: for the terminal, for programs and for people; independent of ROS."""
