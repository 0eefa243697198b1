"""What the dashboard knows of the fleet, and everything that pages show of it: pure."""
