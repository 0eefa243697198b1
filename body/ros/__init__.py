"""The coupler on ROS: topics of the variables, and a node for each reacher and extender."""
