import json

from fleet.geometry import Pose2D
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts
from fleet.vda5050.vehicle.received_messages import Topic
from fleet.vda5050.vehicle.vehicle import Vehicle, VehicleIdentity
from fleet.vda5050.wire.state_codec import ConnectionState
from fleet.vda5050.wire.vda_version import VdaVersion

SECOND_NS = 1_000_000_000
STANDING = RobotFacts(RobotControl.AUTOMATIC, Pose2D(0.0, 0.0, 0.0), is_localized=True, is_at_rest=True, is_ready=True)
CANCEL = {"actions": [{"actionId": "c", "actionType": "cancelOrder", "blockingType": "NONE"}]}


def new_vehicle() -> Vehicle:
    identity = VehicleIdentity("uagv", VdaVersion.V2_1, "thymio", "robot_1")
    return Vehicle(identity, VehicleRules("map"), lambda order_id: f"{order_id}-1")


def order(order_id: str = "o", x_m: float = 0.3) -> bytes:
    nodes = [
        {
            "nodeId": f"n{index}",
            "sequenceId": 2 * index,
            "released": True,
            "nodePosition": {"x": index * x_m, "y": 0.0, "mapId": "map"},
            "actions": [],
        }
        for index in (0, 1)
    ]
    edges = [{"edgeId": "e", "sequenceId": 1, "released": True, "actions": []}]
    return json.dumps({"orderId": order_id, "orderUpdateId": 0, "nodes": nodes, "edges": edges}).encode()


def states(vehicle: Vehicle, now_ns: int) -> list[dict]:
    messages = vehicle.outgoing(now_ns, now_ns)
    return [json.loads(message.payload) for message in messages if message.topic is Topic.STATE]


def test_topics_have_interface_version_manufacturer_and_serial_number() -> None:
    assert new_vehicle().identity.topic(Topic.STATE) == "uagv/v2/thymio/robot_1/state"


def test_a_state_is_published_on_each_change_and_else_within_thirty_seconds() -> None:
    vehicle = new_vehicle()
    vehicle.advance(STANDING, 0)
    assert len(states(vehicle, 0)) == 1
    assert not states(vehicle, 10 * SECOND_NS)
    vehicle.received.put(Topic.ORDER, order())
    vehicle.advance(STANDING, 10 * SECOND_NS)
    assert states(vehicle, 10 * SECOND_NS)[0]["orderId"] == "o"
    assert len(states(vehicle, 39 * SECOND_NS)) == 1


def test_header_ids_count_the_messages_of_each_topic() -> None:
    vehicle = new_vehicle()
    vehicle.advance(STANDING, 0)
    assert [one["headerId"] for one in (*states(vehicle, 0), *states(vehicle, 30 * SECOND_NS))] == [0, 1]


def test_a_flood_of_orders_never_pushes_a_cancel_out() -> None:
    vehicle = new_vehicle()
    vehicle.received.put(Topic.ORDER, order())
    vehicle.advance(STANDING, 0)
    vehicle.received.put(Topic.INSTANT_ACTIONS, json.dumps(CANCEL).encode())
    for number in range(1000):
        vehicle.received.put(Topic.ORDER, order(f"flood-{number}"))
    vehicle.advance(STANDING, SECOND_NS)
    assert vehicle.machine.is_canceling
    assert "messages were dropped" in vehicle.machine.faults[0].text


def test_a_huge_message_is_dropped_and_said_so() -> None:
    vehicle = new_vehicle()
    vehicle.received.put(Topic.ORDER, b" " * 600_000)
    vehicle.advance(STANDING, 0)
    assert "500000 bytes" in states(vehicle, 0)[0]["errors"][0]["errorDescription"]


def test_what_is_not_json_is_reported_and_the_robot_does_nothing() -> None:
    vehicle = new_vehicle()
    vehicle.received.put(Topic.ORDER, b"{")
    assert vehicle.advance(STANDING, 0) is None
    assert vehicle.advance(STANDING, 1) is None
    assert states(vehicle, 0)[0]["errors"][0]["errorType"] == "validationError"


def test_a_connection_is_kept_by_the_broker_and_others_are_not() -> None:
    vehicle = new_vehicle()
    assert vehicle.connection(ConnectionState.ONLINE, 0).is_kept
    vehicle.advance(STANDING, 0)
    kept = {message.topic for message in vehicle.outgoing(0, 0) if message.is_kept}
    assert kept == {Topic.FACTSHEET}


def test_stamps_are_in_utc_with_a_z_at_their_end() -> None:
    message = new_vehicle().connection(ConnectionState.ONLINE, 1_767_225_600 * SECOND_NS)
    assert json.loads(message.payload)["timestamp"] == "2026-01-01T00:00:00.000Z"


def test_a_clock_that_jumps_changes_stamps_alone() -> None:
    vehicle = new_vehicle()
    vehicle.advance(STANDING, 0)
    stamps = []
    for now_s, unix_s in ((0, 2_000_000_000), (30, 1_000_000_000), (31, 3_000_000_000), (60, 1_000_000_030)):
        messages = vehicle.outgoing(now_s * SECOND_NS, unix_s * SECOND_NS)
        stamps += [json.loads(one.payload)["timestamp"][:4] for one in messages if one.topic is Topic.STATE]
    assert stamps == ["2033", "2001", "2001"]
