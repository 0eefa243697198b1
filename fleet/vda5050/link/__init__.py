"""Where vehicles meet the world: MQTT, ROS, files and clocks."""
