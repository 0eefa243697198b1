"""Targets and connections: sockets, serial ports, threads that dial, the switch; imports `host` and `wire`."""
