"""A client of the interface, for any server of it; imports `interface`."""
