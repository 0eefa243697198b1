"""A run: its set-up, its scenarios with their tries, and the command; knows no ROS but through its port."""
