"""The connector beside a fleet and Debian's mosquitto, driven by a simple master."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fleet.client.fleet_stop import resume_fleet, stop_fleet
from fleet.client.local_fleet import LocalFleet
from fleet.geometry import Pose2D
from harness.ros.master_control import Broker, MasterControl, RunningConnector, broker, connector, master
from harness.ros.running_fleet import RunningFleet
from thymio_base.exit_code import ExitCode

pytestmark = pytest.mark.masters
PICK = {"actionId": "pick", "actionType": "pick", "blockingType": "HARD", "actionParameters": []}
DROP = {"actionId": "drop", "actionType": "drop", "blockingType": "HARD", "actionParameters": []}


@pytest.fixture(scope="module")
def mqtt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture
def vehicle(shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path) -> Iterator[RunningConnector]:
    with connector(shared_fleet, tmp_path, mqtt.port, interface=tmp_path.name) as running:
        yield running


@pytest.fixture
def control(
    vehicle: RunningConnector, shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path
) -> Iterator[MasterControl]:
    with master(shared_fleet, mqtt.port, tmp_path.name) as running:
        running.wait_until_it_takes_orders()
        yield running


def places(control: MasterControl, *steps_m: tuple[float, float]) -> list[dict[str, Any]]:
    """Return where the robot stands, and places relative to that."""
    here = control.state["agvPosition"]
    return [{"x": here["x"] + x_m, "y": here["y"] + y_m} for x_m, y_m in ((0.0, 0.0), *steps_m)]


def is_done(state: dict[str, Any], order_id: str) -> bool:
    is_over = not state["nodeStates"] and not state["edgeStates"] and state["orderId"] == order_id
    return is_over and all(action["actionStatus"] in ("FINISHED", "FAILED") for action in state["actionStates"])


def test_an_order_that_grows_is_driven_to_its_end_and_nodes_are_passed_in_order(control: MasterControl) -> None:
    way = places(control, (0.2, 0.0), (0.2, 0.2), (0.0, 0.0))
    way[2]["actions"] = [PICK]
    way[3] |= {"theta": 0.0, "actions": [DROP]}
    control.order("grows", 0, way[:3], base=2)
    control.wait_for(lambda state: state["orderId"] == "grows", "the order to be accepted")
    control.order("grows", 1, way[1:], first=1)
    control.wait_for(lambda state: bool(state["loads"]), "the load")
    control.wait_for(lambda state: is_done(state, "grows"), "the end of the order")
    passed = [state["lastNodeId"] for state in control.all_of("state") if state["orderId"] == "grows"]
    assert list(dict.fromkeys(passed)) == ["n0", "n1", "n2", "n3"]
    assert control.statuses() == {"pick": "FINISHED", "drop": "FINISHED"}
    assert control.state["errors"] == []
    assert control.state["loads"] == []


def test_a_cancel_and_a_pause_survive_a_connector_that_is_killed(
    control: MasterControl, vehicle: RunningConnector
) -> None:
    control.order("paused", 0, places(control, (0.3, 0.0), (0.0, 0.0)))
    control.wait_for(lambda state: state["driving"], "a robot that drives")
    control.act("startPause", "pause")
    control.wait_for(lambda _: control.statuses().get("pause") == "FINISHED", "the pause")
    vehicle.end(signal.SIGKILL)
    control.wait_for(
        lambda _: control.all_of("connection")[-1]["connectionState"] == "CONNECTIONBROKEN", "the broker to say so"
    )
    vehicle.restart()
    control.wait_for(lambda _: control.all_of("connection")[-1]["connectionState"] == "ONLINE", "the connector")
    count = len(control.all_of("state"))
    control.act("stateRequest", "state")
    control.wait_for(lambda _: len(control.all_of("state")) > count and "state" in control.statuses(), "a new state")
    assert control.state["paused"]
    assert control.state["orderId"] == "paused"
    control.act("stopPause", "go-on")
    control.wait_for(lambda state: state["driving"], "a robot that drives on")
    control.act("cancelOrder", "cancel")
    control.wait_for(lambda _: control.statuses().get("cancel") == "FINISHED", "the cancel")
    assert not control.state["driving"]
    assert control.state["nodeStates"] == []


def test_a_robot_drives_to_the_end_of_its_base_while_the_connector_is_dead_and_goes_on_after_its_restart(
    control: MasterControl, vehicle: RunningConnector, shared_fleet: RunningFleet
) -> None:
    way = places(control, (0.3, 0.0), (0.0, 0.0))
    base_end = Pose2D(way[1]["x"], way[1]["y"], 0.0)
    control.order("survives", 0, way, base=2)
    control.wait_for(lambda state: state["driving"], "a robot that drives")
    vehicle.end(signal.SIGKILL)
    shared_fleet.wait_for(
        lambda: control.all_of("connection")[-1]["connectionState"] == "CONNECTIONBROKEN", "the broker to say so"
    )
    shared_fleet.wait_for(lambda: shared_fleet.truths[1].distance_to(base_end) < 0.03, "the end of the base")
    vehicle.restart()
    control.wait_for(lambda state: state["lastNodeId"] == "n1", "the node that was passed meanwhile")
    control.order("survives", 1, way[1:], first=1)
    control.wait_for(lambda state: is_done(state, "survives"), "the end of the order")


def test_init_position_puts_a_simulated_robot_somewhere(control: MasterControl, shared_fleet: RunningFleet) -> None:
    here = control.state["agvPosition"]
    there = {"x": here["x"], "y": here["y"] + 0.1, "theta": 0.5, "mapId": "map", "lastNodeId": "put"}
    control.act("initPosition", "init", **there)
    control.wait_for(lambda _: control.statuses().get("init") == "FINISHED", "the end of initPosition")
    control.wait_for(lambda state: abs(state["agvPosition"]["y"] - there["y"]) < 0.02, "the new position")
    assert shared_fleet.truths[1].distance_to(Pose2D(there["x"], there["y"], 0.0)) < 0.02
    assert control.state["lastNodeId"] == "put"


def test_an_order_goes_on_after_all_robots_were_stopped(control: MasterControl, shared_fleet: RunningFleet) -> None:
    control.order("stopped", 0, places(control, (-0.2, 0.0), (0.0, 0.0)))
    control.wait_for(lambda state: state["driving"], "a robot that drives")
    stop_fleet(shared_fleet.client.graph, LocalFleet())
    stopped = control.wait_for(lambda state: state["safetyState"]["eStop"] == "REMOTE", "the stop")
    assert stopped["nodeStates"]
    resume_fleet(shared_fleet.client.graph, LocalFleet())
    control.wait_for(lambda state: is_done(state, "stopped"), "the end of the order")


def test_of_two_connectors_of_one_name_that_start_at_once_one_leaves(
    shared_fleet: RunningFleet, mqtt: Broker, tmp_path: Path
) -> None:
    names = {"interface": f"{tmp_path.name}-both"}
    with (
        connector(shared_fleet, tmp_path, mqtt.port, **names) as one,
        connector(shared_fleet, tmp_path, mqtt.port, **names) as other,
        master(shared_fleet, mqtt.port, names["interface"]) as control,
    ):
        both = (one, other)
        shared_fleet.wait_for(lambda: any(each.process.poll() is not None for each in both), "the end of one")
        codes = [each.process.poll() for each in both]
        assert sorted(codes, key=str) == [ExitCode.FAILED, None]
        assert "another connector serves vehicles with these names" in both[codes.index(ExitCode.FAILED)].text
        control.wait_until_it_takes_orders()
        control.order("alone", 0, places(control, (0.1, 0.0)))
        control.wait_for(lambda state: is_done(state, "alone"), "the end of the order")


def test_a_second_connector_of_the_same_name_is_refused_and_the_first_continues(
    control: MasterControl, vehicle: RunningConnector
) -> None:
    assert vehicle.code_of_a_second_one() == ExitCode.FAILED
    assert "another connector serves vehicles with these names" in vehicle.text
    control.order("alone", 0, places(control, (0.1, 0.0)))
    control.wait_for(lambda state: is_done(state, "alone"), "the end of the order")
    assert vehicle.end() == ExitCode.DONE
    assert control.all_of("connection")[-1]["connectionState"] == "OFFLINE"
