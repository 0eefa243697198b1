"""The rules for names and addresses that users write: what ROS, tf2 or the network would refuse later."""
