"""Whatever a master sends is accepted, or refused in words; no robot drives on what was not understood."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.geometry import Pose2D
from fleet.vda5050.order.order_rules import VehicleRules
from fleet.vda5050.order.robot_facts import RobotControl, RobotFacts, StartRun
from fleet.vda5050.vehicle.received_messages import Topic
from fleet.vda5050.vehicle.vehicle import Vehicle, VehicleIdentity
from fleet.vda5050.wire.vda_version import VdaVersion

STANDING = RobotFacts(RobotControl.AUTOMATIC, Pose2D(0.0, 0.0, 0.0), is_localized=True, is_at_rest=True, is_ready=True)
DEEP = json.loads("[" * 40 + "]" * 40)
HOSTILE: list[Any] = [
    *(None, True, False, 0, -1, 2**32, 2**63, 10**400, -0.0, 0.5, 1e308, -1e308, float("nan"), float("inf")),
    *("", "x", "x" * 600, "\0", "\ud800", "HARD", "NaN", "2.1.0", "9.9", [], [[]], [None] * 3, {}, {"": {}}, DEEP),
]


def action(name: str, **parameters: object) -> dict[str, Any]:
    given = [{"key": key, "value": value} for key, value in parameters.items()]
    return {"actionId": name, "actionType": name, "blockingType": "HARD", "actionParameters": given}


def order(version: VdaVersion = VdaVersion.V2_1) -> dict[str, Any]:
    deviation = {"a": 0.2, "b": 0.1, "theta": 0.0} if version.is_3 else 0.2
    nodes = [
        {
            "nodeId": f"n{index}",
            "sequenceId": 2 * index,
            "released": index < 2,
            "nodePosition": {
                "x": 0.3 * index,
                "y": 0.0,
                "theta": 0.0,
                "mapId": "map",
                "allowedDeviationXY": deviation,
            },
            "actions": [action(f"{name}", duration=1.5, loadId="box")] if index else [],
        }
        for index, name in enumerate(("", "wait", "pick"))
    ]
    edges = [
        {
            "edgeId": f"e{index}",
            "sequenceId": 2 * index + 1,
            "released": index < 1,
            version.pick("maxSpeed", "maximumSpeed"): 0.1,
            "actions": [action("beep")] if index else [],
        }
        for index in range(2)
    ]
    header = {"headerId": 1, "timestamp": "2026-01-01T00:00:00.000Z", "version": version.value}
    return header | {"orderId": "o", "orderUpdateId": 0, "nodes": nodes, "edges": edges}


def paths(value: Any, before: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Return the ways to all values within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [one for key, part in items for one in ((*before, key), *paths(part, (*before, key)))]


def changed(message: dict[str, Any], path: tuple[object, ...], value: object) -> dict[str, Any]:
    found = copy.deepcopy(message)
    part: Any = found
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return found


class Played:
    """A vehicle whose robot stands, with what it has asked for and published."""

    def __init__(self, version: VdaVersion = VdaVersion.V2_1) -> None:
        identity = VehicleIdentity("uagv", version, "thymio", "robot_1")
        self.vehicle = Vehicle(identity, VehicleRules("map"), lambda order_id: f"{order_id}-1")
        self.now_ns = 0
        self.asked: list[object] = []
        self.state: dict[str, Any] = {}
        self.go_on()

    def go_on(self) -> None:
        for _ in range(2):
            self.now_ns += 30_000_000_000
            self.asked.append(self.vehicle.advance(STANDING, self.now_ns))
            for message in self.vehicle.outgoing(self.now_ns, self.now_ns):
                if message.topic is Topic.STATE:
                    self.state = json.loads(message.payload)

    def take(self, topic: Topic, message: object, *, is_kept: bool = False) -> list[str]:
        """Return the descriptions of the errors after a message."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.vehicle.received.put(topic, data, is_kept=is_kept)
        self.go_on()
        return [error["errorDescription"] for error in self.state["errors"]]

    @property
    def is_asked(self) -> bool:
        return any(isinstance(request, StartRun) for request in self.asked)


@pytest.mark.parametrize("version", VdaVersion)
def test_every_value_of_an_order_may_be_anything(version: VdaVersion) -> None:
    right = order(version)
    assert Played(version).take(Topic.ORDER, right) == []
    for path in paths(right):
        for value in HOSTILE:
            played = Played(version)
            errors = played.take(Topic.ORDER, changed(right, path, value))
            is_accepted = bool(played.vehicle.machine.order_id)
            assert is_accepted is not bool(errors), (path, value)
            assert played.is_asked is is_accepted, (path, value)


def test_every_value_of_instant_actions_may_be_anything() -> None:
    right = {"actions": [action("startPause"), action("initPosition", x=0.1, y=0.1, theta=0.0, mapId="map")]}
    for path in paths(right):
        for value in HOSTILE:
            played = Played()
            errors = played.take(Topic.INSTANT_ACTIONS, changed(right, path, value))
            assert errors or value == [] or len(list(played.vehicle.machine.instant_actions)) == 2, (path, value)


@given(data=st.data(), version=st.sampled_from(VdaVersion))
def test_several_wrong_values_at_once_are_refused_or_read(data: st.DataObject, version: VdaVersion) -> None:
    message = order(version)
    for _ in range(data.draw(st.integers(1, 4))):
        message = changed(message, data.draw(st.sampled_from(paths(message))), data.draw(st.sampled_from(HOSTILE)))
    played = Played(version)
    errors = played.take(Topic.ORDER, message)
    assert bool(played.vehicle.machine.order_id) is not bool(errors)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (json.dumps(order()).encode("utf-16"), "not UTF-8"),
        (b"\xef\xbb\xbf" + json.dumps(order()).encode(), "not valid JSON"),
        (b"[" * 100_000, "arrays and objects are nested"),
        (b'{"orderId": "a", "orderId": "b"}', "given twice"),
        (json.dumps(order() | {"nodes": order()["nodes"] * 3000}).encode()[:499_000], "not valid JSON"),
    ],
)
def test_malformed_message_is_refused(data: bytes, named: str) -> None:
    for topic in (Topic.ORDER, Topic.INSTANT_ACTIONS):
        played = Played()
        assert any(named in error for error in played.take(topic, data))
        assert not played.is_asked


def test_an_order_of_ten_thousand_nodes_is_refused() -> None:
    nodes = [{"nodeId": "n", "sequenceId": 2 * index, "released": True} for index in range(8000)]
    assert "8000 nodes; 1 to 1000 are allowed" in Played().take(Topic.ORDER, order() | {"nodes": nodes})[0]
    nodes += [{"nodeId": "n", "sequenceId": 2 * index, "released": True} for index in range(8000, 10_000)]
    assert "500000 bytes" in Played().take(Topic.ORDER, order() | {"nodes": nodes})[0]


def test_an_order_of_thousands_of_actions_is_refused() -> None:
    beeps = [{"actionId": str(index), "actionType": "beep"} for index in range(1001)]
    message = changed(order(), ("nodes", 1, "actions"), beeps)
    assert "1003 actions; 1000 are allowed" in Played().take(Topic.ORDER, message)[0]


def test_an_order_of_another_major_version_is_refused() -> None:
    errors = Played().take(Topic.ORDER, order() | {"version": "3.0.0"})
    assert errors == ["the order is of version '3.0.0'; the vehicle is one of 2.1.0"]
    assert Played().take(Topic.ORDER, order() | {"version": "2.0.0"}) == []


def test_optional_fields_that_are_not_known_are_left_aside() -> None:
    message = order(VdaVersion.V3_0) | {"zoneSetId": "z", "future": DEEP[0][0][0][0][0][0][0][0][0][0]}
    assert Played(VdaVersion.V3_0).take(Topic.ORDER, message) == []


def test_a_trajectory_of_any_kind_is_refused() -> None:
    nurbs = {"degree": 3, "knotVector": [0, 0, 1, 1], "controlPoints": [{"x": 0, "y": 0, "weight": 1}]}
    for trajectory in (nurbs, {}, [], "x"):
        errors = Played().take(Topic.ORDER, changed(order(), ("edges", 0, "trajectory"), trajectory))
        assert errors == ["edges[0].trajectory is given, which the vehicle cannot obey; leave it out"]


def test_messages_that_the_broker_has_kept_are_left_aside() -> None:
    played = Played()
    for topic, message in ((Topic.ORDER, order()), (Topic.INSTANT_ACTIONS, {"actions": [action("startPause")]})):
        assert "publish it without retain" in played.take(topic, message, is_kept=True)[-1]
    assert not played.is_asked
    assert not played.vehicle.machine.is_paused


def test_an_action_id_of_another_action_is_named_and_a_cancel_with_the_id_of_an_ordered_one_is_obeyed() -> None:
    played = Played()
    assert played.take(Topic.ORDER, order()) == []
    pause, resume = action("startPause") | {"actionId": "wait"}, action("stopPause") | {"actionId": "wait"}
    assert played.take(Topic.INSTANT_ACTIONS, {"actions": [pause]}) == []
    assert played.vehicle.machine.is_paused
    assert "that of a startPause before" in played.take(Topic.INSTANT_ACTIONS, {"actions": [resume]})[0]
    assert played.take(Topic.INSTANT_ACTIONS, {"actions": [action("cancelOrder") | {"actionId": "pick"}]})
    assert played.vehicle.machine.is_canceling


def test_a_flood_of_pauses_of_a_robot_that_cannot_be_reached_leaves_few_of_them() -> None:
    played = Played()
    played.take(Topic.ORDER, order())
    for number in range(500):
        pauses = [action("startPause") | {"actionId": f"{number}-{index}"} for index in range(10)]
        played.vehicle.received.put(Topic.INSTANT_ACTIONS, json.dumps({"actions": pauses}).encode())
        played.vehicle.advance(RobotFacts(RobotControl.AUTOMATIC), 0)
    assert len(list(played.vehicle.machine.instant_actions)) < 200
    assert len(played.vehicle.machine.faults) <= 20
    played.take(Topic.INSTANT_ACTIONS, {"actions": [action("stopPause")]})
    assert not played.vehicle.machine.is_paused


@pytest.mark.parametrize("value", ["x" * 600, {"a": 1}, [1]])
def test_an_id_in_a_parameter_is_a_short_text(value: object) -> None:
    message = changed(order(), ("nodes", 1, "actions"), [action("drop", loadId=value)])
    assert "loadId is " in Played().take(Topic.ORDER, message)[0]
    place = action("initPosition", x=0.0, y=0.0, theta=0.0, lastNodeId=value)
    assert "lastNodeId is " in Played().take(Topic.INSTANT_ACTIONS, {"actions": [place]})[0]
