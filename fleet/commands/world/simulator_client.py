"""A client of the simulator's services; refusals become errors in plain words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import PoseStamped
from simulation_interfaces.msg import EntityFilters, Result
from simulation_interfaces.srv import GetEntities, GetEntityState, SetEntityState

from fleet.calls.call import ANSWER_S
from fleet.calls.placing import PLACING_SERVICE, WORLD_FRAME, placing_request, simulator_refusal
from fleet.client.fleet_client import FleetClient
from fleet.client.graph_client import DISCOVERY_S
from fleet.client.robot_node import RobotName, node_id_of
from fleet.errors import FleetError, NoServerError
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_from_ros
from thymio_base.heading import whole_degrees
from thymio_base.number_text import which_are_text
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.texts.decimal_text import whole_number

LONG_S = 600.0  # for a hundred thousand steps
_ROBOT_ENTITY = re.compile("thymio_([0-9]{1,10})")  # the name of a robot as an entity, with its node id


class SimulatorRefusedError(FleetError, RuntimeError):
    """The simulator refused a request; `result` is its code."""

    def __init__(self, text: str, result: int) -> None:
        super().__init__(text)
        self.result = result


@dataclass(frozen=True, slots=True)
class WorldEntity:
    """A robot or an object of the running world: its name there, and its user's name for it."""

    name: str
    label: str

    def __str__(self) -> str:
        return self.label


class SimulatorClient:
    """Calls the simulator's services, for one thread."""

    def __init__(self) -> None:
        self.fleet = FleetClient()

    def close(self) -> None:
        """Leave the graph."""
        self.fleet.close()

    def call(self, kind: Any, name: str, fields: Mapping[str, Any] | None = None, *, repeats: bool = True) -> Any:
        """Return the answer of a service; without `repeats` the request is sent only once, and may take long.

        Raises
        ------
        SimulatorRefusedError
            The simulator refused the request.
        NoServerError
            No simulator answers.
        """
        return self._answer(kind, f"/simulator/{name}", kind.Request(**(fields or {})), repeats=repeats)

    def robot(self, name: RobotName) -> WorldEntity:
        """Return a robot in the world.

        Raises
        ------
        SimulatorRefusedError
            The robot is not in the world.
        """
        self._find("/simulator/get_entities")
        node_id = node_id_of(self.fleet, name)
        names = {node: other for other in self._entity_names() if (node := entity_node_id(other)) is not None}
        if node_id in names:
            return WorldEntity(names[node_id], str(name))
        label = str(name) if name.is_node else f"{name}, which is node {node_id},"
        nodes = which_are_text("node", names)
        raise SimulatorRefusedError(f"{label} is not in this world; {nodes}", Result.RESULT_NOT_FOUND)

    def entity(self, name: RobotName | str) -> WorldEntity:
        """Return a robot, or the object named by a text.

        Raises
        ------
        SimulatorRefusedError
            The entity is not in the world.
        """
        if isinstance(name, RobotName):
            return self.robot(name)
        objects = [other for other in self._entity_names() if entity_node_id(other) is None]
        if name in objects:
            return WorldEntity(name, name)
        known = f"its objects are {', '.join(objects)}" if objects else "it has no objects"
        raise SimulatorRefusedError(f"object {name!r} is not in this world; {known}", Result.RESULT_NOT_FOUND)

    def pose(self, entity: WorldEntity) -> Pose2D:
        """Return the pose of an entity."""
        state = self.call(GetEntityState, "get_entity_state", {"entity": entity.name}).state
        return pose_of(state)

    def place(self, entity: WorldEntity, pose: Pose2D) -> None:
        """Move an entity at once."""
        self._answer(SetEntityState, PLACING_SERVICE, placing_request(entity.name, pose))

    def _answer(self, kind: Any, service: str, request: Any, *, repeats: bool = True) -> Any:
        timeout_s, repeat_s = (DISCOVERY_S, ANSWER_S) if repeats else (LONG_S, LONG_S)
        self._find(service)
        response = self.fleet.graph.call(kind, service, request, timeout_s, repeat_s)
        if refusal := simulator_refusal(response):
            raise SimulatorRefusedError(refusal, response.result.result)
        return response

    def _entity_names(self) -> list[str]:
        """Return the names of all robots, then of all objects."""
        return list(self.call(GetEntities, "get_entities", {"filters": EntityFilters()}).entities)

    def _find(self, service: str) -> None:
        """Wait for a service of the simulator."""
        if not self.fleet.graph.has_service(service):
            start = "`thymio-fleet up` or `thymio-fleet sim` starts one"
            raise NoServerError(f"no simulator runs in the ROS domain {ros_domain_id()} (ROS_DOMAIN_ID); {start}")


def entity_node_id(name: str) -> int | None:
    """Return the node id of the robot with a name in the world; None for an object."""
    match = _ROBOT_ENTITY.fullmatch(name)
    return None if match is None else whole_number(match.group(1))


def pose_of(state: Any) -> Pose2D:
    """Return the pose in the state of an entity."""
    stamped = PoseStamped()
    stamped.header.frame_id, stamped.pose = WORLD_FRAME, state.pose
    return pose_from_ros(stamped, WORLD_FRAME)


def pose_text(pose: Pose2D) -> str:
    """Return a pose in words."""
    return f"({pose.x_m:.3f}, {pose.y_m:.3f}), {whole_degrees(pose.heading_rad)} degrees"
