"""The vehicles' links to the world: MQTT, ROS, files and clocks."""
