"""Serves jobs under /fleet: services, the action, and the topic with all of them."""
