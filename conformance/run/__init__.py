"""A run: its set-up, its scenarios with their tries, and the command; uses ROS only through its port."""
