"""Measures the connector to a master control, and kills brokers and connectors under a busy master."""
