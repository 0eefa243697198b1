"""Targets and connections: sockets, serial ports, dialing threads, the switch; imports `host` and `wire`."""
