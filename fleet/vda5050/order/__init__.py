"""Orders of a vehicle: a pure state machine without MQTT, ROS or a clock."""
