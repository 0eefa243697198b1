"""Rules for names and addresses that users write: finds what ROS, tf2 or the network would refuse later."""
