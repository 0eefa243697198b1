"""The robot body coupler: reads any robot's variables from its URDF and runs reachers; independent of the fleet."""
