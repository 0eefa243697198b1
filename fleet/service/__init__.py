"""Runs all robots, tick by tick; pure; imports `robots` and below."""
