"""The driver under an orchestrator: all work in callbacks that it can count, in simulated time."""
