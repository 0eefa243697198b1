"""The connector to VDA 5050 master controls: a process of its own, and an ordinary client of our ROS interface."""
