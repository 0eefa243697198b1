"""The fleet: each robot's tasks, its pose, and the control of its wheels."""
