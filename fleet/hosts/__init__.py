"""Which driver on which host serves which robot, and whether the fleet is stopped; pure; imports nothing."""
