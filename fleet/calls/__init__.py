"""Calls to the servers of robots, in steps that never wait."""
