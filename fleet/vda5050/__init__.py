"""The connector to master controls that speak VDA 5050: a process of its own, and a client of our interface alone."""
