"""Control laws: each turns where the robot is, and where it should be, into how it shall move."""
