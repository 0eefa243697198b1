"""Connects to a server on ROS by the services and topics of its actions; the only room here that imports rclpy."""
