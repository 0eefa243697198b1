"""The dashboard's model of the fleet, and everything that pages show of it. Pure."""
