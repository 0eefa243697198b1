"""The Thymio's events, sensors, actuators and speeds in SI units; pure; imports only the errors."""
