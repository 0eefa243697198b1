"""Reaches a server on ROS, by the services and topics below its actions; the one room here that imports rclpy."""
