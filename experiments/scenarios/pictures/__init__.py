"""What pictures of a run show: the floor, the robots' states over time, contacts and faults."""
