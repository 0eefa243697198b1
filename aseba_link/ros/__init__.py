"""The bridge to ROS, with the names of asebaros; imports `bridge` and all below it."""
