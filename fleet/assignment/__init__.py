"""Assigns jobs to robots, in order; imports no other room of the fleet."""
