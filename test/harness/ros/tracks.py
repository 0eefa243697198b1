"""Runs on one host of a test: writes where simulated robots are to a file, a line of JSON for each true pose.

python tracks.py FILE NODE ...: a line holds the time, the node, and x and y in metres.
"""

import json
import sys
import time
from pathlib import Path

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D


def main() -> None:
    """Record until killed."""
    client = FleetClient()
    with Path(sys.argv[1]).open("a", encoding="utf-8", buffering=1) as file:

        def write(node_id: int, pose: Pose2D) -> None:
            file.write(f"{json.dumps([time.time(), node_id, pose.x_m, pose.y_m])}\n")

        for node_id in map(int, sys.argv[2:]):
            topic = f"/simulator/thymio_{node_id}/truth"
            client.watch_pose(topic, lambda pose, node_id=node_id: write(node_id, pose))
        while True:
            client.spin(0.1)


if __name__ == "__main__":
    main()
