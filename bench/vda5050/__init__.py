"""Measures the connector to a master control, and lets brokers and connectors die under a master that never rests."""
