"""Runs on one host of a test: writes the state of the robots there to a file, a line of JSON every tenth of a second.

python observer.py FILE ROBOTS NODES: observes robots and nodes 1 to these numbers. It only subscribes, so it does not
count as a client of the robots.
"""

import json
import sys
from pathlib import Path

from fleet.client.fleet_client import FleetClient
from fleet.geometry import Pose2D

_KEYS = ("busy", "state", "last_result", "link", "blocked_by")


def main() -> None:
    """Observe until killed."""
    path, robot_ids, node_ids = Path(sys.argv[1]), range(1, int(sys.argv[2]) + 1), range(1, int(sys.argv[3]) + 1)
    truths: dict[int, Pose2D] = {}
    client = FleetClient()
    for robot_id in robot_ids:
        client.watch(robot_id)
    for node_id in node_ids:
        client.watch_pose(
            f"/simulator/thymio_{node_id}/truth", lambda pose, node_id=node_id: truths.update({node_id: pose})
        )
    while True:
        client.spin(0.1)
        robots = {robot_id: _state(client, robot_id) for robot_id in robot_ids}
        line = {"robots": robots, "places": {node_id: [pose.x_m, pose.y_m] for node_id, pose in truths.items()}}
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line)}\n")


def _state(client: FleetClient, robot_id: int) -> dict[str, object]:
    driver = client.driver(robot_id)
    return {
        **{key: client.value(robot_id, key) for key in _KEYS},
        "is_ready": client.is_ready(robot_id),
        "host": driver.host if driver else "",
    }


if __name__ == "__main__":
    main()
