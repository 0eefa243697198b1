"""Shows the fleet in a browser and passes on its users' commands, in a process of its own."""
