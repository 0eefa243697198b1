"""The simulator's services and topics, as used by a ROS client."""

import math
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from simulation_interfaces.msg import EntityCategory, EntityFilters, Resource, Result, SimulationState
from simulation_interfaces.msg import SimulatorFeatures as Features
from simulation_interfaces.srv import (
    DeleteEntity,
    GetEntities,
    GetEntitiesStates,
    GetEntityState,
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetEntityState,
    SetSimulationState,
    SpawnEntity,
    StepSimulation,
)
from thymio_simulator_interfaces.srv import (
    AttachObject,
    DetachObject,
    PressButton,
    SetBattery,
    SetLink,
    SetSpeedFactor,
)
from visualization_msgs.msg import Marker, MarkerArray

from fleet.geometry import Pose2D
from fleet.goals.sent_goal import GoalState
from fleet.interface.conversions import pose_from_ros, pose_to_ros
from harness.ros.running_fleet import DEADLINE_S, RunningFleet, ready
from thymio_base.ros.stamps import time_from_ros

TRIES = 5  # of what a busy machine may prevent
OBJECTS = "objects: [{name: crate, shape: box, x_m: 2.7, y_m: 1.7}]\n"


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningFleet]:
    """A simulator and a driver on the system's clock."""
    yield from ready(RunningFleet(tmp_path_factory.mktemp("simulator"), world_settings=OBJECTS))


def names(simulator: RunningFleet, **filters: Any) -> list[str]:
    request = GetEntities.Request(filters=EntityFilters(**filters))
    return list(simulator.call(GetEntities, "get_entities", request).entities)


def place(simulator: RunningFleet, entity: str) -> tuple[float, float, float]:
    response = simulator.call(GetEntityState, "get_entity_state", GetEntityState.Request(entity=entity))
    assert response.result.result == Result.RESULT_OK
    stamped = pose_to_ros(Pose2D(0.0, 0.0, 0.0), 0, "map")
    stamped.pose = response.state.pose
    pose = pose_from_ros(stamped, "map")
    return pose.x_m, pose.y_m, pose.heading_rad


def spawn_request(kind: str, name: str = "", description: str = "", x_m: float = 0.4) -> SpawnEntity.Request:
    return SpawnEntity.Request(
        name=name,
        allow_renaming=not name,
        entity_resource=Resource(uri=kind, resource_string=description),
        initial_pose=pose_to_ros(Pose2D(x_m, 0.4, 0.0), 0, "map"),
    )


def received(simulator: RunningFleet, kind: type, topic: str, *, latched: bool = False) -> Any:
    """Return a message of a topic."""
    messages: list[Any] = []
    durability = DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
    qos = QoSProfile(depth=1, durability=durability)
    subscription = simulator.client.node.create_subscription(kind, topic, messages.append, qos)
    simulator.wait_for(lambda: bool(messages), topic)
    simulator.client.node.destroy_subscription(subscription)
    return messages[-1]


def set_state(simulator: RunningFleet, state: int) -> Result:
    request = SetSimulationState.Request(state=SimulationState(state=state))
    return simulator.call(SetSimulationState, "set_simulation_state", request).result


@pytest.fixture
def paused(simulator: RunningFleet) -> Iterator[RunningFleet]:
    assert set_state(simulator, SimulationState.STATE_PAUSED).result == Result.RESULT_OK
    yield simulator
    assert set_state(simulator, SimulationState.STATE_PLAYING).result == Result.RESULT_OK


def test_parameter_of_an_unknown_type_is_refused(simulator: RunningFleet) -> None:
    request = SetParameters.Request(parameters=[Parameter(name="x", value=ParameterValue(type=255))])
    answer = simulator.client.graph.call(SetParameters, "/thymio_simulator/set_parameters", request, DEADLINE_S)
    assert not answer.results[0].successful


def test_simulator_lists_its_features(simulator: RunningFleet) -> None:
    response = simulator.call(GetSimulatorFeatures, "get_simulator_features", GetSimulatorFeatures.Request())
    assert {Features.SPAWNING, Features.SIMULATION_STATE_PAUSE, Features.STEP_SIMULATION_MULTIPLE} <= set(
        response.features.features
    )


def test_entities_are_filtered_by_name_and_category(simulator: RunningFleet) -> None:
    robots = [EntityCategory(category=EntityCategory.CATEGORY_ROBOT)]
    assert names(simulator) == ["thymio_1", "thymio_2", "crate"]
    assert names(simulator, filter="thymio_.*") == ["thymio_1", "thymio_2"]
    assert names(simulator, filter="thymio") == []
    assert names(simulator, categories=robots) == ["thymio_1", "thymio_2"]


def test_states_of_entities_are_returned_with_their_names(simulator: RunningFleet) -> None:
    response = simulator.call(GetEntitiesStates, "get_entities_states", GetEntitiesStates.Request())
    assert list(response.entities) == ["thymio_1", "thymio_2", "crate"]
    assert {state.header.frame_id for state in response.states} == {"map"}
    assert response.states[2].pose.position.x == pytest.approx(2.7)


def step(simulator: RunningFleet, steps: int) -> int:
    return int(simulator.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=steps)).result.result)


def test_paused_simulation_runs_the_requested_number_of_steps(paused: RunningFleet) -> None:
    clocks: list[int] = []
    subscription = paused.client.node.create_subscription(
        Clock, "/clock", lambda message: clocks.append(time_from_ros(message.clock)), 1000
    )
    paused.wait_for(lambda: step(paused, 1) == Result.RESULT_OK and bool(clocks), "the clock of a step")
    request = ResetSimulation.Request(scope=ResetSimulation.Request.SCOPE_TIME)
    assert paused.call(ResetSimulation, "reset_simulation", request).result.result == Result.RESULT_OK
    for steps, total in ((30, 30), (20, 50)):
        assert step(paused, steps) == Result.RESULT_OK
        paused.wait_for(lambda total=total: clocks[-1] == total * 10_000_000, f"the clock of step {total}")
    assert clocks[-50:] == [10_000_000 * (i + 1) for i in range(50)]
    paused.client.node.destroy_subscription(subscription)


def requests_are_answered_before_the_steps_are_made(paused: RunningFleet, client: Any) -> bool:
    """Send requests while steps are made; return False if a busy machine made all steps before the last of them."""
    steps = client.call_async(StepSimulation.Request(steps=100_000))
    assert names(paused) == ["thymio_1", "thymio_2", "crate"]
    second = paused.call(StepSimulation, "step_simulation", StepSimulation.Request(steps=1)).result
    is_late = steps.done()
    assert is_late or second.result == Result.RESULT_INCORRECT_STATE
    assert is_late or "steps of another request are still pending" in second.error_message
    assert set_state(paused, SimulationState.STATE_PLAYING).result == Result.RESULT_OK
    paused.wait_for(steps.done, "the answer to the request")
    if steps.result().result.result != Result.RESULT_OK:
        assert re.fullmatch(
            "the simulation became playing after .* of 100000 steps", steps.result().result.error_message
        )
        return True
    assert set_state(paused, SimulationState.STATE_PAUSED).result == Result.RESULT_OK
    return False


def test_other_requests_are_answered_while_steps_are_made(paused: RunningFleet) -> None:
    name = "/simulator/step_simulation"
    client = paused.client.node.create_client(StepSimulation, name)
    paused.wait_for(client.service_is_ready, name)
    assert any(requests_are_answered_before_the_steps_are_made(paused, client) for _ in range(TRIES))
    assert set_state(paused, SimulationState.STATE_PAUSED).result == Result.RESULT_OK
    paused.client.node.destroy_client(client)


def test_entity_moved_while_paused_is_published_at_its_new_pose(paused: RunningFleet) -> None:
    request = SetEntityState.Request(entity="thymio_2", set_pose=True)
    for x_m in (2.1, 2.0):
        request.state.pose = pose_to_ros(Pose2D(x_m, 1.0, 0.0), 0, "map").pose
        assert paused.call(SetEntityState, "set_entity_state", request).result.result == Result.RESULT_OK
        paused.wait_for(lambda x_m=x_m: abs(paused.truths[2].x_m - x_m) < 0.001, f"the robot at {x_m}")


def test_state_is_returned_and_a_change_to_the_same_state_refused(paused: RunningFleet) -> None:
    response = paused.call(GetSimulationState, "get_simulation_state", GetSimulationState.Request())
    assert response.state.state == SimulationState.STATE_PAUSED
    again = set_state(paused, SimulationState.STATE_PAUSED)
    assert again.result == SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    assert again.error_message == "the simulation is already paused"
    assert set_state(paused, SimulationState.STATE_QUITTING).result == Result.RESULT_FEATURE_UNSUPPORTED


def test_topics_of_a_robot_appear_and_disappear_with_it(simulator: RunningFleet) -> None:
    response = simulator.call(SpawnEntity, "spawn_entity", spawn_request("thymio", "thymio_9"))
    assert (response.result.result, response.entity_name) == (Result.RESULT_OK, "thymio_9")
    received(simulator, type(pose_to_ros(Pose2D(0, 0, 0), 0, "map")), "/simulator/thymio_9/truth")
    assert len(received(simulator, PoseArray, "/simulator/truth").poses) == 3
    deleted = simulator.call(DeleteEntity, "delete_entity", DeleteEntity.Request(entity="thymio_9"))
    assert deleted.result.result == Result.RESULT_OK
    assert names(simulator) == ["thymio_1", "thymio_2", "crate"]


def test_objects_are_shown_as_markers(simulator: RunningFleet) -> None:
    message = received(simulator, MarkerArray, "/simulator/markers", latched=True)
    assert message.markers[0].action == Marker.DELETEALL
    assert [marker.ns for marker in message.markers[1:]] == ["walls", "objects"]


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        (
            spawn_request("tank"),
            SpawnEntity.Response.UNSUPPORTED_FORMAT,
            "uri 'tank' is not one of thymio, box, cylinder",
        ),
        (spawn_request("thymio", "bob"), SpawnEntity.Response.NAME_INVALID, "name 'bob' is not thymio_ and a node id"),
        (spawn_request("box", "crate"), SpawnEntity.Response.NAME_NOT_UNIQUE, "crate already exists"),
        (spawn_request("box", x_m=9.0), SpawnEntity.Response.INVALID_POSE, "(9, 0.4) is not inside the arena"),
        (spawn_request("box", "", "{a: 1}"), SpawnEntity.Response.RESOURCE_PARSE_ERROR, "a: unknown key"),
    ],
)
def test_invalid_entity_is_refused_with_its_code(
    simulator: RunningFleet, request_: SpawnEntity.Request, code: int, message: str
) -> None:
    response = simulator.call(SpawnEntity, "spawn_entity", request_)
    assert response.result.result == code
    assert message in response.result.error_message


def test_robot_is_relocated(simulator: RunningFleet) -> None:
    request = SetEntityState.Request(entity="crate", set_pose=True)
    request.state.pose = pose_to_ros(Pose2D(2.6, 0.3, 1.0), 0, "map").pose
    assert simulator.call(SetEntityState, "set_entity_state", request).result.result == Result.RESULT_OK
    assert place(simulator, "crate") == pytest.approx((2.6, 0.3, 1.0))


def test_invalid_pose_is_refused(simulator: RunningFleet) -> None:
    request = SetEntityState.Request(entity="crate", set_pose=True)
    request.state.pose.orientation.w = 0.0
    result = simulator.call(SetEntityState, "set_entity_state", request).result
    assert result.result == SetEntityState.Response.INVALID_POSE
    assert result.error_message.startswith("orientation (0, 0, 0, 0)")
    request.state.pose.orientation.x = 1e308
    result = simulator.call(SetEntityState, "set_entity_state", request).result
    assert result.error_message == "orientation (1e+308, 0, 0, 0) is not that of an upright robot"
    request.state.pose.position.x = 1e308
    result = simulator.call(SetEntityState, "set_entity_state", request).result
    assert result.error_message == "position (1e+308, 0) is not within 1000 m"
    request.state.header.frame_id = "odom"
    result = simulator.call(SetEntityState, "set_entity_state", request).result
    assert result.error_message == "frame 'odom' is not 'map'"


def test_object_is_carried_and_put_down(simulator: RunningFleet) -> None:
    request = AttachObject.Request(entity="thymio_2", object="crate")
    assert simulator.call(AttachObject, "attach_object", request).result.result == Result.RESULT_OK
    again = simulator.call(AttachObject, "attach_object", request).result
    assert (again.result, again.error_message) == (Result.RESULT_INCORRECT_STATE, "crate is already carried")
    robot = place(simulator, "thymio_2")
    assert math.dist(place(simulator, "crate")[:2], robot[:2]) < 0.01
    response = simulator.call(DetachObject, "detach_object", DetachObject.Request(object="crate"))
    assert response.result.result == Result.RESULT_OK
    assert math.dist(place(simulator, "crate")[:2], robot[:2]) > 0.1


def test_sensor_readings_and_counters_of_robots_are_published(simulator: RunningFleet) -> None:
    pressed = PressButton.Request(entity="thymio_1", button="left", duration_s=3.0)
    assert simulator.call(PressButton, "press_button", pressed).result.result == Result.RESULT_OK
    message = received(simulator, DiagnosticArray, "/simulator/robots")
    values = {value.key: value.value for value in message.status[0].values}
    assert [status.name for status in message.status] == ["thymio_1", "thymio_2"]
    assert values["buttons"] == "left"
    assert values["collisions"] == "0"
    assert float(values["distance_m"]) >= 0.0
    assert len(values["proximity_raw"].split()) == 7


def test_driver_reports_a_drained_battery(simulator: RunningFleet) -> None:
    request = SetBattery.Request(entity="thymio_2", charge=0.01)
    assert simulator.call(SetBattery, "set_battery", request).result.result == Result.RESULT_OK
    simulator.wait_for(lambda: simulator.client.value(2, "battery") != "ok", "a low battery", 60.0)
    request.charge = math.nan
    result = simulator.call(SetBattery, "set_battery", request).result
    assert (result.result, result.error_message) == (
        Result.RESULT_OPERATION_FAILED,
        "charge nan of thymio_2 is not in 0 to 1",
    )


@pytest.mark.parametrize("link", [SetLink.Request.LINK_SILENT, SetLink.Request.LINK_DISCONNECTED])
def test_driver_loses_and_finds_a_robot_that_is_cut_off_for_a_while(simulator: RunningFleet, link: int) -> None:
    request = SetLink.Request(entity="thymio_1", link=link)
    assert simulator.call(SetLink, "set_link", request).result.result == Result.RESULT_OK
    simulator.wait_for(lambda: simulator.client.value(1, "link") != "connected", "the loss of the robot")
    request.link = SetLink.Request.LINK_CONNECTED
    assert simulator.call(SetLink, "set_link", request).result.result == Result.RESULT_OK
    simulator.wait_for(lambda: simulator.client.is_ready(1), "the robot")


def test_invalid_speed_factor_is_refused(simulator: RunningFleet) -> None:
    result = simulator.call(SetSpeedFactor, "set_speed_factor", SetSpeedFactor.Request(factor=-1.0)).result
    assert result.result == Result.RESULT_OPERATION_FAILED
    assert result.error_message.startswith("speed factor -1 is neither")


def test_fleet_works_after_a_complete_reset(simulator: RunningFleet) -> None:
    response = simulator.call(ResetSimulation, "reset_simulation", ResetSimulation.Request())
    assert response.result.result == Result.RESULT_OK
    simulator.wait_for(lambda: not simulator.client.is_ready(1), "the loss of the robots")
    simulator.wait_until_ready()
    goal = simulator.client.go_to(1, Pose2D(1.2, 1.1, 0.0))
    simulator.wait_for(lambda: goal.state.is_final, "the task's end")
    assert goal.state is GoalState.SUCCEEDED


def second_simulator(simulator: RunningFleet, *options: str) -> subprocess.Popen[str]:
    """Start another simulator in the same ROS domain."""
    command = [sys.executable, "-m", "simulator", "--world", str(simulator.world), "--port", "0", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_second_simulator_of_a_domain_is_refused_because_of_the_clock(simulator: RunningFleet) -> None:
    second = second_simulator(simulator)
    _, errors = second.communicate(timeout=DEADLINE_S)
    assert second.returncode == 2
    assert "node /thymio_simulator, already publishes /clock on ROS domain" in errors
    assert "start this one with --no-clock" in errors


def test_second_simulator_of_a_domain_may_run_without_a_clock(simulator: RunningFleet) -> None:
    node = simulator.client.node
    before = node.count_publishers("/clock")
    second = second_simulator(simulator, "--no-clock")
    try:
        simulator.wait_for(lambda: node.count_publishers("/simulator/truth") == 2, "the second simulator")
        assert (before, node.count_publishers("/clock")) == (1, 1)
    finally:
        second.terminate()
        second.communicate(timeout=DEADLINE_S)
