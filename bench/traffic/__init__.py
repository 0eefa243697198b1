"""Many robots on one floor: contacts, arrivals, delays and cost, in counted time: python -m bench.traffic."""
