"""Servers that are right, or wrong in one way, for the conformance kit to judge."""
