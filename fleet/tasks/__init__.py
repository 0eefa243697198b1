"""What one robot performs: tasks, their legs, the tracker of a leg; pure; imports `actuation`."""
