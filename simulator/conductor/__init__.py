"""An orchestrator of ROS nodes that speaks the protocol of ros2_def; pure except for `ros_conductor`."""
