"""Sends robot 1 to a place, and prints how that ended."""

from thymio_fleet import SyncFleet

with SyncFleet() as fleet:  # or SyncFleet(simulated=8), which needs no other program
    print(fleet[1].go_to(0.9, 0.8))  # metres, in the frame `map`
