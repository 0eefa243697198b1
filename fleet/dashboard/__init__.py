"""Shows the fleet in a browser and passes on what its users command, in a process of its own."""
