"""The coupler on ROS: the variables' topics, and a node for each reacher and extender."""
