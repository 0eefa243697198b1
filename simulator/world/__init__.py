"""The world and its file: robots, objects and walls as arrays; pure; imports `physics` and `sensors`."""
