"""Tasks of one robot: tasks, their legs, and the tracker of a leg; pure; imports `actuation`."""
