"""The Aseba bridge inside the driver: asebaros' topics for each robot, below /factory/robot_<ID>/aseba/."""

from collections.abc import Callable, Mapping, Sequence

from rclpy.node import Node as RosNode

from aseba_link.aesl.program import Program
from aseba_link.bridge.acceptance import Admission, Rule
from aseba_link.host.node import Node, NodeAddress
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.ros.bridge import Bridge
from aseba_link.ros.load_services import LoadServices
from fleet.settings.config import RobotConfig
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers
from thymio_base.ros.diagnostics import Diagnostics

_RULE = Rule(include_id_in_events=True)  # as the fleet's script requires


def create_fleet_bridge(
    ros: RosNode,
    link: AsebaLink,
    *,
    robots: Sequence[RobotConfig],
    program: Program,
    diagnostics: Diagnostics,
    clock: Callable[[], Instant],
    answers: Answers,
) -> Bridge:
    """Return a bridge for the robots of a fleet whose link loads `program` on them."""

    def admit(nodes: Sequence[Node]) -> Mapping[NodeAddress, Admission]:
        return admit_robots(robots, nodes)

    bridge = Bridge(
        ros, link, admit=admit, program=program, loads=False, diagnostics=diagnostics, clock=clock, answers=answers
    )
    LoadServices(ros, bridge, answers)
    return bridge


def admit_robots(robots: Sequence[RobotConfig], nodes: Sequence[Node]) -> Mapping[NodeAddress, Admission]:
    """Accept the nodes that are robots of the fleet, each under its robot's name."""
    admissions: dict[NodeAddress, Admission] = {}
    free = list(robots)
    for node in nodes:
        robot = next((robot for robot in free if robot.is_node(node)), None)
        if robot is None:
            admissions[node.address] = Admission(_RULE, "", "it is not a robot of this fleet, or a duplicate of one")
        else:
            free.remove(robot)
            admissions[node.address] = Admission(_RULE, f"/factory/{robot.name}")
    return admissions
