"""The dashboard with a fleet on ROS: what it shows, and what it commands."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from fleet.geometry import Pose2D
from fleet.interface.names import action_name
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KIND_NAMES
from harness.dashboard.running_dashboard import RunningDashboard, running_dashboard
from harness.ros.running_fleet import RunningFleet


@pytest.fixture(scope="module")
def dashboard(shared_fleet: RunningFleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDashboard]:
    """A dashboard that shows the shared fleet."""
    with running_dashboard(tmp_path_factory.mktemp("dashboard"), "--config", str(shared_fleet.config)) as running:
        running.wait_for(lambda: running.has_idle_robots(2), "idle robots that can be sent")
        yield running


def goal(robot_id: int, x_m: float, y_m: float) -> dict[str, Any]:
    return {"goals": [{"robot": robot_id, "x_m": x_m, "y_m": y_m, "heading_rad": 0.0}]}


def clients(fleet: RunningFleet, robot_id: int) -> int:
    """Return how many clients on the graph could cancel goals of go_to."""
    return int(fleet.client.node.count_clients(f"{action_name(robot_id, TaskKind.GO_TO)}/_action/cancel_goal"))


def test_robots_of_a_driver_are_shown_with_floor_and_truth(
    dashboard: RunningDashboard, shared_fleet: RunningFleet
) -> None:
    dashboard.wait_for(lambda: dashboard.section("fleet").get("empty", "") is None, "poses")
    dashboard.wait_for(lambda: len(dashboard.section("map").get("walls", [])) >= 4, "the walls of the simulator")
    dashboard.wait_for(lambda: bool(dashboard.section("fleet").get("drivers")), "the driver")
    dashboard.wait_for(lambda: is_simulated(dashboard), "a clock that runs")
    dashboard.wait_for(lambda: dashboard.truths().keys() == {1, 2}, "the true poses")
    for robot_id, place_m in dashboard.truths().items():
        truth = shared_fleet.truths[robot_id]
        assert place_m == pytest.approx((truth.x_m, truth.y_m), abs=0.01)
    state = dashboard.get("/api/state")
    assert state["fleet"]["count"]["idle"] == 2
    assert state["map"]["arena"] == [0.0, 0.0, 3.0, 2.0]
    assert [driver["serves"] for driver in state["fleet"]["drivers"]] == [[1, 2]]
    assert state["robots"]["1"]["can"] == [*KIND_NAMES, "law", "identify"]


def is_simulated(dashboard: RunningDashboard) -> bool:
    simulation = dashboard.section("fleet").get("simulation")
    return simulation is not None and simulation["is_running"]


def test_goal_is_followed_to_its_end_and_leaves_no_client(
    dashboard: RunningDashboard, shared_fleet: RunningFleet
) -> None:
    command_id = dashboard.post("go_to", goal(1, 1.4, 1.2))["commands"][0]["id"]
    dashboard.wait_for(lambda: [task["command"] for task in known(dashboard, 1)] == [command_id], "the task")
    task = known(dashboard, 1)[0]
    assert task["kind"] == "go_to"
    assert task["legs"] == [{"kind": "drive", "pose": [1.4, 1.2, 0.0]}]
    dashboard.wait_for(lambda: is_planned(dashboard, 1, 1.4, 1.2), "the plan")
    dashboard.wait_for(lambda: named_clients(dashboard, 1) != [], "who could cancel it")
    assert dashboard.ended(command_id)["state"] == "succeeded"
    dashboard.wait_for(lambda: not running(dashboard, 1), "the end of the task")
    shared_fleet.wait_for(lambda: clients(shared_fleet, 1) == 0, "the client to leave")
    shared_fleet.wait_for(lambda: shared_fleet.truths[1].distance_to(Pose2D(1.4, 1.2, 0.0)) < 0.03, "the goal")


def running(dashboard: RunningDashboard, robot_id: int) -> list[dict[str, Any]]:
    tasks = dashboard.section("tasks").values()
    return [task for task in tasks if task["robot"] == robot_id and task["ended_s"] is None]


def known(dashboard: RunningDashboard, robot_id: int) -> list[dict[str, Any]]:
    return [task for task in running(dashboard, robot_id) if task["is_known"]]


def is_planned(dashboard: RunningDashboard, robot_id: int, x_m: float, y_m: float) -> bool:
    plans = [task["plan"] for task in running(dashboard, robot_id)]
    return bool(plans) and len(plans[0]) >= 2 and plans[0][-1] == [x_m, y_m]


def named_clients(dashboard: RunningDashboard, robot_id: int) -> list[str]:
    return [client for task in running(dashboard, robot_id) for client in task["clients"]]


def test_rejected_goal_has_the_reason_of_its_driver(dashboard: RunningDashboard) -> None:
    command = dashboard.command("go_to", goal(2, 2.0, 5.0))
    assert (command["state"], command["reason"]) == ("rejected", "OUT_OF_ARENA")
    assert "y = 5.000" in command["text"]


def test_task_of_another_client_is_seen_and_canceled(dashboard: RunningDashboard, shared_fleet: RunningFleet) -> None:
    sent = shared_fleet.client.go_to(2, Pose2D(2.5, 0.5, 0.0))
    shared_fleet.wait_for(lambda: bool(running(dashboard, 2)), "the task of another client")
    assert running(dashboard, 2)[0]["command"] is None
    command_id = dashboard.post("cancel", {"robots": [2]})["commands"][0]["id"]
    shared_fleet.wait_for(lambda: sent.state.is_final, "the end of the task")
    assert sent.state.value == "CANCELED"
    assert dashboard.ended(command_id)["state"] == "done"


def test_stop_is_confirmed_and_resume_lifts_it(dashboard: RunningDashboard) -> None:
    sent = dashboard.post("go_to", goal(1, 0.5, 1.0))["commands"][0]["id"]
    dashboard.wait_for(lambda: bool(running(dashboard, 1)), "the task")
    assert dashboard.command("stop", {})["state"] == "done"
    stop = dashboard.section("fleet")["stop"]
    assert [driver["robots"] for driver in stop["confirmed"]] == [[1, 2]]
    assert stop["standing"] == [1, 2]
    assert dashboard.ended(sent)["reason"] == "STOPPED"
    dashboard.wait_for(lambda: dashboard.section("fleet")["is_stopped"] is True, "the stop")
    assert dashboard.command("resume", {})["state"] == "done"
    dashboard.wait_for(lambda: dashboard.section("fleet")["is_stopped"] is False, "the end of the stop")
    dashboard.wait_for(lambda: dashboard.has_idle_robots(2), "idle robots")


def test_law_is_changed_and_a_wrong_gain_is_refused(dashboard: RunningDashboard) -> None:
    assert dashboard.command("law", {"robots": [1], "law": "kanayama"})["state"] == "done"
    dashboard.wait_for(lambda: dashboard.section("robots")["1"]["law"] == "kanayama", "the law")
    command = dashboard.command("law", {"robots": [1], "gains": {"nonsense": 1.0}})
    assert command["state"] == "rejected"
    assert "nonsense" in command["text"]
    dashboard.command("law", {"robots": [1], "law": "lqr"})


def test_faults_reach_the_simulator_and_become_alarms(dashboard: RunningDashboard, shared_fleet: RunningFleet) -> None:
    assert dashboard.command("battery", {"robots": [2], "charge": 0.12})["state"] == "done"
    assert dashboard.command("link", {"robots": [1], "link": "silent"})["state"] == "done"
    dashboard.wait_for(lambda: "1:link" in dashboard.section("alarms"), "the alarm of the link")
    assert dashboard.command("link", {"robots": [1], "link": "connected"})["state"] == "done"
    before = shared_fleet.truths[2]
    assert dashboard.command("push", {"robot": 2, "distance_m": 0.05})["state"] == "done"
    shared_fleet.wait_for(lambda: shared_fleet.truths[2].distance_to(before) > 0.04, "the push")
    assert dashboard.command("teleport", {"robot": 2, "x_m": 2.0, "y_m": 1.0})["state"] == "done"
    shared_fleet.wait_for(lambda: shared_fleet.truths[2].distance_to(Pose2D(2.0, 1.0, 0.0)) < 0.01, "the new place")
    assert dashboard.command("battery", {"robots": [2], "charge": 1.0})["state"] == "done"


def test_metrics_have_the_counts_of_the_driver(dashboard: RunningDashboard) -> None:
    def text() -> str:
        with dashboard.opener.open(f"{dashboard.url}metrics") as answer:
            return str(answer.read().decode())

    host = f'host="{socket.gethostname()}"'
    dashboard.wait_for(lambda: f"thymio_fleet_driver_ticks_total{{{host}}}" in text(), "the driver's counts")
    dashboard.wait_for(lambda: f"thymio_fleet_link_up{{{host},target=" in text(), "the driver's target")
    dashboard.wait_for(lambda: 'thymio_fleet_robot_up{robot="1"} 1' in text(), "the robot, whose link was cut before")
