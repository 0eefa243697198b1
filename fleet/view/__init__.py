"""Pictures of the running fleet, in a terminal and as a file; imports `client`."""
