"""What a vehicle makes of the orders of its master: a pure state machine without MQTT, ROS or a clock."""
