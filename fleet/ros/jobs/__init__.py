"""Serves jobs under /fleet: services, the action, and the topic that lists them all."""
