"""The bridge to ROS, with the names of asebaros; imports `bridge` and everything below it."""
