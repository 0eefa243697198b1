"""Judges a robot's hardware in stages; time, links and people are arguments; imports `aseba_link` and `settings`."""
