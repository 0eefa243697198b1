"""The default heading of a robot at its goal: the direction of a straight drive from where it is."""

from operator import methodcaller

from fleet.client.fleet_client import FleetClient
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind
from thymio_base.parts import Parts


def bearing_in_parts(client: FleetClient, robot_id: int, x_m: float, y_m: float) -> Parts[float]:
    """Find the direction of a place as seen from a robot [rad], in the fleet's frame.

    Raises
    ------
    FleetError
        The robot is lost, or publishes no pose.
    NoServerError
        The robot is not served.
    """
    yield from client.reach_in_parts(robot_id, TaskKind.GO_TO)
    client.watch(robot_id)
    may_locate = methodcaller("may_locate", robot_id)
    if not (yield from client.graph.served_in_parts(lambda: robot_id in client.poses, is_promised=may_locate)):
        trouble = client.report(robot_id)
        if trouble.is_in_trouble:
            raise FleetError(f"robot {robot_id} is lost: {trouble.message}")
        raise FleetError(f"robot {robot_id} publishes no pose, so specify its heading at the goal")
    return client.poses[robot_id].bearing_to(Pose2D(x_m, y_m, 0.0))
