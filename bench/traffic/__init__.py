"""Measures many robots on one floor (contacts, arrivals, delays, cost) in counted time: python -m bench.traffic."""
