"""Paths: where to drive, without times, made of pieces; pure; imports only the geometry."""
