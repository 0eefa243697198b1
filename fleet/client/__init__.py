"""A client of the interface, for any server; imports `interface`."""
