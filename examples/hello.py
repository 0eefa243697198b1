"""Sends robot 1 to a pose, and prints how that ended."""

from contextlib import closing

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D

with closing(FleetClient()) as client:
    goal = client.go_to(1, Pose2D(0.9, 0.8, 1.57))  # metres and radians, in the frame `map`
    client.spin_until(lambda: goal.state.is_final, timeout_s=60.0)
    print(goal.state.value, client.reason(goal))
