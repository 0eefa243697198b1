"""What an orchestrator must know of the driver, and what the driver tells it; pure."""
