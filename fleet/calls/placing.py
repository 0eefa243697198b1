"""Moves a robot or an object of the simulated world to a pose at once, for all clients of the simulator."""

from typing import Any, Final

from simulation_interfaces.msg import Result
from simulation_interfaces.srv import SetEntityState

from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros

WORLD_FRAME: Final = "map"
PLACING_SERVICE: Final = "/simulator/set_entity_state"


def placing_request(entity: str, pose: Pose2D) -> SetEntityState.Request:
    """Return the request that moves an entity to a pose."""
    request = SetEntityState.Request(entity=entity)
    request.state.header.frame_id = WORLD_FRAME
    request.state.pose = pose_to_ros(pose, 0, WORLD_FRAME).pose
    if hasattr(request, "set_pose"):  # before version 2.1 of simulation_interfaces everything was set
        request.set_pose = True
    return request


def simulator_refusal(answer: Any) -> str:
    """Return why the simulator refused a request; "" if it did not."""
    result = answer.result
    return "" if result.result == Result.RESULT_OK else result.error_message or f"refused with code {result.result}"
