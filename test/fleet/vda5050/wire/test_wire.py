import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D, Twist2D
from fleet.vda5050.order.action_book import ActionBook, ActionState, ActionStatus
from fleet.vda5050.order.order_fault import OrderRefusedError, VehicleFault, VehicleFaultKind
from fleet.vda5050.order.order_graph import ActionType, BlockingType, Order, OrderEdge
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts
from fleet.vda5050.wire.factsheet import factsheet_values
from fleet.vda5050.wire.order_codec import read_instant_actions, read_order
from fleet.vda5050.wire.state_codec import ConnectionState, connection_values, state_values, visualization_values
from fleet.vda5050.wire.vda_version import VdaVersion, error_name
from harness.vda5050_robot import node

# Types, required fields and enums of the published schemas, without any other field.
FIELDS = json.loads(Path(__file__).with_name("fields_by_version.json").read_text())
HEADER = {
    "headerId": 1,
    "timestamp": "2026-01-01T00:00:00.000Z",
    "version": "2.1.0",
    "manufacturer": "thymio",
    "serialNumber": "robot_1",
}
TEXTS = st.text(max_size=8)
NUMBERS = st.floats(-10, 10)


RULES = VehicleRules("map")


@st.composite
def machines(draw: st.DrawFn) -> OrderMachine:
    indices = draw(st.lists(st.integers(0, 9), max_size=3))
    actions = [
        ActionState(
            draw(TEXTS), draw(st.sampled_from(ActionType)).value, draw(st.sampled_from(ActionStatus)), draw(TEXTS)
        )
        for _ in range(draw(st.integers(0, 2)))
    ]
    machine = OrderMachine(RULES, str)
    machine.order = Order(
        draw(TEXTS),
        draw(st.integers(0, 9)),
        tuple(node(index, heading_rad=draw(st.one_of(st.none(), st.floats(-3, 3)))) for index in indices),
        tuple(OrderEdge(f"e{index}", 2 * index + 1, draw(st.booleans())) for index in indices),
    )
    machine.last_node_id, machine.last_sequence_id = draw(TEXTS), draw(st.integers(0, 9))
    machine.actions, machine.instant_actions = ActionBook(actions), ActionBook(actions)
    machine.is_paused, machine.load_id = draw(st.booleans()), draw(TEXTS)
    for kind in draw(st.sets(st.sampled_from(VehicleFaultKind))):
        machine.reject(VehicleFault(kind, draw(TEXTS), ((draw(TEXTS), draw(TEXTS)),)))
    return machine


ROBOTS = st.builds(
    RobotFacts,
    st.sampled_from(RobotControl),
    pose=st.one_of(st.none(), st.builds(Pose2D, NUMBERS, NUMBERS, NUMBERS)),
    is_localized=st.booleans(),
    is_stopped=st.booleans(),
    twist=st.builds(Twist2D, NUMBERS, NUMBERS),
    is_driving=st.booleans(),
    battery_pct=st.floats(0, 100),
    is_charging=st.booleans(),
    notes=st.lists(st.tuples(TEXTS, TEXTS), max_size=2).map(tuple),
)


def check(version: VdaVersion, name: str, values: dict) -> None:
    schema = FIELDS[version.value][name]
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(HEADER | values)))


@pytest.mark.parametrize("version", VdaVersion)
@given(machine=machines(), robot=ROBOTS)
def test_states_have_the_fields_of_their_version_and_no_others(version, machine, robot) -> None:
    check(version, "state", state_values(machine, robot, "map", version))


@pytest.mark.parametrize("version", VdaVersion)
@pytest.mark.parametrize("connection", ConnectionState)
def test_connections_have_the_fields_of_their_version(version, connection) -> None:
    check(version, "connection", connection_values(connection, version))


@pytest.mark.parametrize("version", VdaVersion)
def test_visualizations_have_the_fields_of_their_version(version) -> None:
    robot = RobotFacts(pose=Pose2D(1.0, 2.0, 3.0), is_localized=True)
    check(version, "visualization", visualization_values(robot, 3, "map", version))


@pytest.mark.parametrize("version", [VdaVersion.V2_1, VdaVersion.V3_0])
def test_factsheets_have_the_fields_of_their_version(version) -> None:
    check(version, "factsheet", factsheet_values(RULES, version))


@pytest.mark.parametrize("version", VdaVersion)
@pytest.mark.parametrize("kind", VehicleFaultKind)
def test_every_fault_has_a_name_and_a_level_that_its_version_knows(version, kind) -> None:
    _, level = error_name(kind, version)
    schema = FIELDS[version.value]["state"]["properties"]["errors"]["items"]["properties"]["errorLevel"]
    assert level.value in schema["enum"]


def order(**changes) -> dict:
    action = {
        "actionId": "a",
        "actionType": "wait",
        "blockingType": "HARD",
        "actionParameters": [{"key": "duration", "value": 1.5}],
    }
    place = {"x": 0.5, "y": 0.5, "mapId": "map"}
    nodes = [
        {"nodeId": "n0", "sequenceId": 0, "released": True, "nodePosition": place, "actions": []},
        {
            "nodeId": "n1",
            "sequenceId": 2,
            "released": True,
            "nodePosition": place | {"theta": 1.0},
            "actions": [action],
        },
    ]
    edges = [
        {"edgeId": "e", "sequenceId": 1, "released": True, "startNodeId": "n0", "endNodeId": "n1", "actions": []},
    ]
    return HEADER | {"orderId": "o", "orderUpdateId": 0, "nodes": nodes, "edges": edges} | changes


def read(values: object, version: VdaVersion = VdaVersion.V2_1):
    return read_order(json.dumps({**values, "version": version.value}).encode(), version)


def refused(values: object, version: VdaVersion = VdaVersion.V2_1) -> VehicleFault:
    with pytest.raises(OrderRefusedError) as caught:
        read(values, version)
    return caught.value.fault


def test_an_order_is_read_with_its_places_and_actions() -> None:
    found = read(order())
    assert [one.sequence_id for one in found.nodes] == [0, 2]
    assert found.nodes[1].place.heading_rad == pytest.approx(1.0)
    assert found.nodes[1].actions[0].parameters == {"duration": 1.5}
    assert found.nodes[1].actions[0].blocking is BlockingType.HARD


def test_the_deviation_is_a_radius_in_version_2_and_an_ellipse_in_version_3() -> None:
    place = {"x": 0.0, "y": 0.0, "mapId": "map"}
    start = {"nodeId": "n", "sequenceId": 0, "released": True, "actions": []}
    radius = start | {"nodePosition": place | {"allowedDeviationXY": 0.2}}
    ellipse = start | {"nodePosition": place | {"allowedDeviationXY": {"a": 0.4, "b": 0.1, "theta": 0.0}}}
    assert read(order(nodes=[radius], edges=[])).nodes[0].place.deviation_m == pytest.approx(0.2)
    in_3 = read(order(nodes=[ellipse], edges=[]), VdaVersion.V3_0)
    assert in_3.nodes[0].place.deviation_m == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"orderId": ""}, "orderId is empty"),
        ({"orderUpdateId": -1}, "orderUpdateId is -1"),
        ({"nodes": {}}, "nodes is an object, not a list"),
        ({"nodes": [1]}, "nodes[0] is a number, not an object"),
        ({"nodes": [{"nodeId": "n", "sequenceId": 0, "released": "yes"}]}, "nodes[0].released is 'yes'"),
        ({"nodes": [{"nodeId": "n", "sequenceId": 0}]}, "nodes[0].released is missing"),
        ({"orderId": "x" * 600}, "orderId has 600 characters"),
    ],
)
def test_a_wrong_field_is_named(changes, named) -> None:
    fault = refused(order(**changes))
    assert fault.kind is VehicleFaultKind.INVALID
    assert named in fault.text


def test_a_trajectory_is_refused_as_a_parameter_that_no_robot_obeys() -> None:
    edge = order()["edges"][0] | {"trajectory": {"degree": 1}}
    fault = refused(order(edges=[edge]))
    assert fault.kind is VehicleFaultKind.PARAMETER
    assert "edges[0].trajectory" in fault.text


def test_the_refusal_of_an_order_names_the_order() -> None:
    assert ("orderId", "o") in refused(order(nodes=3)).references


def fault_of(reader) -> VehicleFaultKind | None:
    try:
        reader()
    except OrderRefusedError as error:
        return error.fault.kind
    return None


@given(st.binary(max_size=60))
def test_any_bytes_are_refused_without_another_error(data: bytes) -> None:
    assert fault_of(lambda: read_order(data, VdaVersion.V3_0)) is VehicleFaultKind.INVALID
    assert fault_of(lambda: read_instant_actions(data)) is VehicleFaultKind.INVALID


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | TEXTS,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(TEXTS, values, max_size=3),
    max_leaves=8,
)
KEYS = ("orderId", "orderUpdateId", "nodes", "edges")


@given(st.sampled_from(KEYS), JSON, st.sampled_from(VdaVersion))
def test_any_value_in_an_order_is_refused_or_read_without_another_error(key, value, version) -> None:
    found = fault_of(lambda: read(order(**{key: value}), version))
    assert found in (None, VehicleFaultKind.INVALID, VehicleFaultKind.PARAMETER)


def test_instant_actions_are_read_under_both_names_of_their_list() -> None:
    action = {"actionId": "a", "actionType": "cancelOrder", "blockingType": "NONE"}
    for key in ("actions", "instantActions"):
        assert read_instant_actions(json.dumps(HEADER | {key: [action]}).encode())[0].kind is ActionType.CANCEL_ORDER
