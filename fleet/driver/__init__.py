"""The topics of each robot that ros-thymio has: sensors, commands, transforms, description."""
