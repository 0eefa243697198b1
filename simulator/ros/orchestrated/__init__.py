"""The simulator as the data provider of a stack of ROS nodes that an orchestrator conducts."""
