"""Pictures of a run: the floor, the robots' states over time, contacts and faults."""
