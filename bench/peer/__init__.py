"""Compares the simulator with the Aseba playground: same robots, places and script, observed over the Aseba wire."""
