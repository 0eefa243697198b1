"""Checks names and addresses written by users for what ROS, tf2 or the network would refuse later."""
