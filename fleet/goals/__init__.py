"""Goals sent to the action servers of robots, repeated while answers are lost; clients and drivers share this."""
