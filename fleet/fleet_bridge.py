"""The Aseba bridge inside of the driver: asebaros' topics for each robot, below /factory/robot_<ID>/aseba/."""

from collections.abc import Callable, Mapping, Sequence

from rclpy.node import Node as RosNode

from aseba_link.acceptance import Admission, Rule
from aseba_link.bridge import Bridge
from aseba_link.diagnostics import Diagnostics
from aseba_link.instant import Instant
from aseba_link.link import AsebaLink
from aseba_link.load_services import LoadServices
from aseba_link.node import Node, NodeAddress
from aseba_link.program import Program
from fleet.config import RobotConfig

_RULE = Rule(include_id_in_events=True)  # as the fleet's script wants it


def create_fleet_bridge(
    ros: RosNode,
    link: AsebaLink,
    *,
    robots: Sequence[RobotConfig],
    program: Program,
    diagnostics: Diagnostics,
    clock: Callable[[], Instant],
) -> Bridge:
    """Return a bridge for the robots of a fleet, whose link gives them `program`."""

    def admit(nodes: Sequence[Node]) -> Mapping[NodeAddress, Admission]:
        return admit_robots(robots, nodes)

    bridge = Bridge(ros, link, admit=admit, program=program, loads=False, diagnostics=diagnostics, clock=clock)
    LoadServices(ros, bridge)
    return bridge


def admit_robots(robots: Sequence[RobotConfig], nodes: Sequence[Node]) -> Mapping[NodeAddress, Admission]:
    """Accept the nodes that are robots of the fleet, each under its robot's name."""
    admissions: dict[NodeAddress, Admission] = {}
    free = list(robots)
    for node in nodes:
        robot = next((robot for robot in free if robot.is_node(node)), None)
        if robot is None:
            admissions[node.address] = Admission(_RULE, "", "it is no robot of this fleet, or another node is that one")
        else:
            free.remove(robot)
            admissions[node.address] = Admission(_RULE, f"/factory/{robot.name}")
    return admissions
