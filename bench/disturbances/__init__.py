"""The disturbances of the driver in benchmarks: hostile peers, cut cables, unplugged robots."""
