"""The simulator beside the Aseba playground: the same robots, places and script in both, seen over the Aseba wire."""
