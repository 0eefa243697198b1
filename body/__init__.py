"""The robot body coupler: variables of any robot from its URDF, and the reachers that move it; knows no fleet."""
