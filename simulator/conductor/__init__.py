"""An orchestrator of ROS nodes by the protocol of ros2_def: pure but for `ros_conductor`."""
