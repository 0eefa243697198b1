"""The driver under an orchestrator: all work in counted callbacks, in simulated time."""
