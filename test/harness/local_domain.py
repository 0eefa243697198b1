"""The ROS domain of drivers that open sockets without ROS."""

DOMAIN = 42
