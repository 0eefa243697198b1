"""Nodes, scripts and hosts for tests of the Aseba side."""
