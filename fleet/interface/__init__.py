"""The ROS interface without a server: names, QoS and message conversion, shared by server and clients."""
