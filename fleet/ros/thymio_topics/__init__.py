"""The ros-thymio topics of each robot: sensors, commands, transforms, description."""
