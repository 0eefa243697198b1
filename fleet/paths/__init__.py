"""Paths: where to drive, without times, as sequences of pieces; pure; imports only the geometry."""
