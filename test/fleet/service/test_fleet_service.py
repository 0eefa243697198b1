"""The whole fleet in a closed loop with simulated robots: how tasks, links and poses interact."""

import math
from pathlib import Path

import pytest

from aseba_link.aesl.compiler import compile_code
from aseba_link.host.link_events import LinkEvent, NodeReady, TargetLost
from experiments.lab.lab import Lab
from fleet.errors import UnknownRobotError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.robots.robot_status import LinkState
from fleet.robots.status_level import Level
from fleet.service.fleet_service import FleetService
from fleet.tasks.task import TaskState, go_home, go_to, transport
from harness.closed_loop import closed_loop
from harness.fleets import read
from simulator.world.config import build_world

THERE = Pose2D(1.3, 1.2, 1.0)


@pytest.fixture
def loop(tmp_path: Path) -> Lab:
    running = closed_loop(tmp_path)
    running.start()
    return running


def assign(loop: Lab, task_id: str = "a", goal: Pose2D = THERE, robot_id: int = 1) -> Reason | None:
    return loop.service.assign(robot_id, go_to(task_id, goal), loop.now_ns)


def test_robot_reaches_its_goal(loop: Lab) -> None:
    assert assign(loop) is None
    outcome = loop.run_until_ended("a")
    assert outcome.state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02
    assert abs(loop.truth().heading_error_to(THERE)) < math.radians(5)
    loop.run(0.5)
    assert loop.speed() == 0.0


@pytest.mark.parametrize("goal", [Pose2D(1.0, 1.0, math.pi), Pose2D(0.6, 1.0, 0.0), Pose2D(1.004, 1.0, 0.0)])
def test_turning_round_and_staying_in_place_are_valid_goals(loop: Lab, goal: Pose2D) -> None:
    assign(loop, goal=goal)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(goal) < 0.02
    assert abs(loop.truth().heading_error_to(goal)) < math.radians(5)


def test_robot_with_unequal_wheels_arrives(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, gains=1.02)
    loop.start()
    assign(loop)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_perfect_wheels_need_no_motion_capture(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, tracked=False, motors="speed_noise: 0")
    loop.start()
    assign(loop)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_a_transport_goes_to_both_places(loop: Lab) -> None:
    near = Pose2D(1.2, 1.0, 0.0)
    loop.service.assign(1, transport("a", near, THERE, 2.0), loop.now_ns)
    nearest = math.inf
    while not loop.outcomes:
        loop.run(0.1)
        nearest = min(nearest, loop.truth().distance_to(near))
    assert loop.outcomes[0].state is TaskState.SUCCEEDED
    assert nearest < 0.02
    assert loop.truth().distance_to(THERE) < 0.02


@pytest.mark.parametrize("goal", [Pose2D(1.55, 1.2, 0.0), Pose2D(1.9, 1.0, 0.0)])
def test_goal_at_or_behind_a_wall_is_unreachable(goal: Pose2D, tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="floor: {walls: [{x1_m: 1.6, y1_m: -9.0, x2_m: 1.6, y2_m: 9.0}]}")
    loop.start()
    assert assign(loop, goal=goal) is Reason.UNREACHABLE
    assert assign(loop, goal=THERE) is None


def test_robot_goes_home(loop: Lab) -> None:
    assign(loop)
    loop.run_until_ended("a")
    loop.service.assign(1, go_home("b", loop.config.robots[0].home), loop.now_ns)
    assert loop.run_until_ended("b").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(Pose2D(1.0, 1.0, 0.0)) < 0.02


def test_many_robots_perform_tasks_at_the_same_time(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, count=5)
    loop.start()
    goals = {robot_id: Pose2D(robot_id + 0.2, 1.2, -1.0) for robot_id in range(1, 6)}
    for robot_id, goal in goals.items():
        assign(loop, f"task-{robot_id}", goal, robot_id)
    ends = [loop.run_until_ended(f"task-{robot_id}").state for robot_id in goals]
    assert ends == [TaskState.SUCCEEDED] * 5
    assert max(loop.truth(robot_id).distance_to(goal) for robot_id, goal in goals.items()) < 0.02


def test_the_same_inputs_give_the_same_motion(tmp_path: Path) -> None:
    ends = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        loop = closed_loop(tmp_path / name, count=2)
        loop.start()
        assign(loop)
        loop.run_until_ended("a")
        ends.append((loop.now_ns, loop.truth(1), loop.truth(2)))
    assert ends[0] == ends[1]


def test_a_canceled_robot_stops_within_half_a_second_and_keeps_its_task_until_then(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    assert loop.speed() > 0.05
    assert loop.service.robot(1).cancel("a", loop.now_ns)
    loop.run(0.1)
    assert (loop.status().task_id, loop.status().state) == ("a", "canceling")
    started_ns = loop.now_ns
    outcome = loop.run_until_ended("a")
    assert (outcome.state, outcome.reason) == (TaskState.CANCELED, None)
    assert (loop.now_ns - started_ns) * 1e-9 <= 0.4
    assert loop.speed() < 0.01
    assert loop.status().task_id == ""


def test_only_the_running_task_can_be_canceled(loop: Lab) -> None:
    assign(loop)
    assert not loop.service.robot(1).cancel("b", loop.now_ns)
    loop.run_until_ended("a")
    assert not loop.service.robot(1).cancel("a", loop.now_ns)


def test_robot_whose_link_breaks_during_a_cancel_is_assumed_to_have_stopped(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    loop.service.robot(1).cancel("a", loop.now_ns)
    loop.switch_off()
    assert loop.run_until_ended("a", 2.0).state is TaskState.CANCELED
    assert loop.speed() < 0.01


@pytest.mark.parametrize(
    ("task_id", "reason"), [("", Reason.EMPTY_ID), ("x" * 129, Reason.BAD_ID), ("a\x00", Reason.BAD_ID)]
)
def test_a_bad_task_id_is_rejected(loop: Lab, task_id: str, reason: Reason) -> None:
    assert assign(loop, task_id) is reason
    assert loop.status().reason == reason


def test_busy_robot_rejects_a_task_and_continues(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    assert assign(loop, "b") is Reason.BUSY
    assert (loop.status().task_id, loop.status().reason) == ("a", Reason.BUSY)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_task_id_is_unique_in_the_fleet(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, count=2)
    loop.start()
    assign(loop, goal=Pose2D(1.0, 1.0, 0.0))
    assert assign(loop, robot_id=2) is Reason.DUPLICATE_ID
    loop.run_until_ended("a")
    assert assign(loop, robot_id=2) is Reason.DUPLICATE_ID


def test_task_id_of_another_drivers_robot_is_rejected(loop: Lab) -> None:
    loop.service = FleetService(loop.service.config, loop.link, performer_elsewhere={"a": "host b"}.get)
    assert assign(loop) is Reason.DUPLICATE_ID
    assert loop.service.robot(1).explanation.detail.startswith("a robot of host b performs a task with the id 'a'")
    assert assign(loop, "b") is not Reason.DUPLICATE_ID


def test_old_task_ids_are_forgotten(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="tasks: {id_history: 1, settle_s: 0}")
    loop.start()
    for task_id in ("a", "b"):
        assign(loop, task_id, Pose2D(1.0, 1.0, 0.0))
        loop.run_until_ended(task_id)
    assert assign(loop, "b") is Reason.DUPLICATE_ID
    assert assign(loop, "a") is None


def test_goal_outside_the_arena_is_rejected(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 2}")
    loop.start()
    assert assign(loop, goal=Pose2D(2.1, 1.0, 0.0)) is Reason.OUT_OF_ARENA


def test_error_for_an_unknown_robot_names_its_id_and_the_file(loop: Lab) -> None:
    with pytest.raises(UnknownRobotError, match=r"robot 7 is not in .*fleet\.yaml"):
        assign(loop, robot_id=7)


def test_robot_never_seen_rejects_with_that_reason(tmp_path: Path) -> None:
    events: list[LinkEvent] = []
    loop = closed_loop(tmp_path, on_link_events=events.extend)
    loop.switch_off()
    loop.run(2.0)
    assert assign(loop) is Reason.ROBOT_LOST
    assert (loop.status().level, loop.status().link) == (Level.ERROR, LinkState.LOST)
    assert any(isinstance(event, TargetLost) for event in events)


def test_robot_silent_within_the_grace_accepts_a_task_and_performs_it_on_return(loop: Lab) -> None:
    loop.cut_off(1)
    loop.run(1.0)
    assert loop.status().link is LinkState.STALE
    assert assign(loop) is None
    loop.join(1)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_robot_silent_beyond_the_grace_rejects(loop: Lab) -> None:
    loop.cut_off(1)
    loop.run(loop.config.link.lost_grace_s + 0.1)
    assert assign(loop) is Reason.ROBOT_LOST


def test_service_reports_a_task_that_is_being_canceled(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    assert not loop.service.robot(1).is_canceling
    loop.service.robot(1).cancel("a", loop.now_ns)
    assert loop.service.robot(1).is_canceling
    loop.run_until_ended("a")
    assert not loop.service.robot(1).is_canceling


def test_a_cut_link_stops_the_robot_and_ends_its_task_after_the_grace(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    loop.switch_off()
    loop.run(1.0)
    assert loop.speed() < 0.01
    assert (loop.status().task_id, loop.status().level) == ("a", Level.ERROR)
    outcome = loop.run_until_ended("a", 3.0)
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.ROBOT_LOST)


def test_task_continues_when_the_link_returns_within_the_grace(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    loop.switch_off()
    loop.run(0.3)
    loop.switch_on()
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_robot_is_usable_again_after_its_simulator_returns(loop: Lab) -> None:
    loop.switch_off()
    loop.run(10.0)
    loop.restart_simulator()
    loop.run(8.0)
    assert loop.status().link is LinkState.CONNECTED
    assert assign(loop) is None
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_robot_switched_off_and_on_gets_its_script_again(tmp_path: Path) -> None:
    events: list[LinkEvent] = []
    loop = closed_loop(tmp_path, on_link_events=events.extend)
    loop.start()
    events.clear()
    robot = loop.simulation.robots[0]
    robot._reboot()
    loop.run(8.0)
    assert sum(isinstance(event, NodeReady) for event in events) == 1
    assert assign(loop) is None
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_robot_stops_after_two_seconds_without_motion_capture(loop: Lab) -> None:
    assign(loop, goal=Pose2D(1.8, 1.0, 0.0))
    loop.run(1.0)
    loop.hidden.update(loop.robot_ids)
    loop.run(1.0)
    assert (loop.status().level, loop.status().task_id) == (Level.WARN, "a")
    outcome = loop.run_until_ended("a", 2.0)
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.POSE_LOST)
    assert assign(loop, "b") is Reason.POSE_LOST
    loop.run(0.5)
    assert loop.speed() == 0.0


def test_robot_that_was_carried_away_replans(loop: Lab) -> None:
    assign(loop)
    loop.run(2.0)
    loop.simulation.world.poses.positions_m[0] = (0.5, 0.5)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_robot_blocked_by_a_wall_gives_up(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="tasks: {no_progress_s: 5}")
    loop.start()
    assign(loop, goal=Pose2D(1.99, 1.0, 0.0))
    outcome = loop.run_until_ended("a", 60.0)
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.NO_PROGRESS)
    loop.run(0.5)
    assert loop.speed() == 0.0


def test_stopped_fleet_is_stationary_until_resumed(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    loop.service.stop()
    outcome = loop.run_until_ended("a", 0.2)
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.STOPPED)
    loop.run(0.5)
    assert loop.speed() == 0.0
    assert assign(loop, "b") is Reason.STOPPED
    loop.service.resume()
    assert assign(loop, "c") is None


def test_robot_of_an_ended_driver_is_reported_as_lost(loop: Lab) -> None:
    loop.service.shut_down(loop.now_ns)
    assert (loop.status().link, loop.status().message) == (LinkState.LOST, "no link to the robot: its driver has ended")


def test_shutdown_ends_all_tasks_and_stops_the_robots(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    report = loop.service.shut_down(loop.now_ns)
    assert [(outcome.state, outcome.reason) for outcome in report.outcomes] == [(TaskState.ABORTED, Reason.SHUTDOWN)]
    assert assign(loop, "b") is Reason.SHUTDOWN
    for _ in range(50):
        loop.simulation.step()
    assert loop.speed() < 0.01


def test_robots_stop_within_six_tenths_of_a_second_of_the_drivers_death(loop: Lab) -> None:
    assign(loop)
    loop.run(3.0)
    assert loop.speed() > 0.05
    for _ in range(58):
        loop.simulation.step()
    assert loop.speed() == 0.0


def test_battery_voltage_is_read(loop: Lab) -> None:
    loop.run(1.0)
    assert loop.status().battery_percent == 100  # 4.05 V: a full cell under the load of a standing robot


def test_robot_with_a_critical_battery_only_accepts_going_home(loop: Lab) -> None:
    loop.simulation.world.batteries.charge[0] = 0.02
    loop.run(60.0)
    assert loop.status().level is Level.ERROR
    assert assign(loop) is Reason.BATTERY_CRITICAL
    assert loop.service.assign(1, go_home("b", Pose2D(1.0, 1.0, 0.0)), loop.now_ns) is None


def test_robots_that_report_less_often_arrive(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="rates: {odometry_hz: 10}")
    loop.start()
    assign(loop)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED
    assert loop.truth().distance_to(THERE) < 0.02


def test_task_without_a_client_waits_and_continues_when_a_client_returns(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    loop.service.robot(1).note_client(False, loop.now_ns)
    loop.run(1.5)
    assert (loop.speed(), loop.service.robot(1).task_id) == (0.0, "a")
    loop.service.robot(1).note_client(True, loop.now_ns)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_task_without_a_client_for_long_ends_at_standstill(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    loop.service.robot(1).note_client(False, loop.now_ns)
    loop.run(2.0)
    loop.service.robot(1).note_client(False, loop.now_ns)
    outcome = loop.run_until_ended("a", 1.5)
    assert (outcome.state, outcome.reason, loop.speed()) == (TaskState.ABORTED, Reason.CLIENT_LOST, 0.0)


def test_task_after_a_client_loss_has_a_client_again(loop: Lab) -> None:
    assign(loop)
    loop.service.robot(1).note_client(False, loop.now_ns)
    loop.run_until_ended("a", 5.0)
    assert assign(loop, "b") is None
    assert loop.run_until_ended("b").state is TaskState.SUCCEEDED


def test_tasks_continue_without_a_client_if_configured(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="tasks: {client_lost_s: 0}")
    loop.start()
    assign(loop)
    loop.service.robot(1).note_client(False, loop.now_ns)
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_robot_served_by_another_host_stops_at_once_and_rejects_tasks(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, count=2)
    loop.start()
    assign(loop)
    assign(loop, "b", Pose2D(2.3, 1.2, 0.0), robot_id=2)
    loop.run(1.0)
    loop.service.yield_robot(1)
    outcome = loop.run_until_ended("a", 0.1)
    assert (outcome.state, outcome.reason) == (TaskState.ABORTED, Reason.SERVED_ELSEWHERE)
    loop.run(0.6)
    assert (loop.speed(1), loop.status(1).link) == (0.0, LinkState.LOST)
    assert assign(loop, "c") is Reason.SERVED_ELSEWHERE
    assert loop.run_until_ended("b").state is TaskState.SUCCEEDED


def test_robot_yielded_to_another_host_receives_nothing_until_served_again(tmp_path: Path) -> None:
    events: list[LinkEvent] = []
    loop = closed_loop(tmp_path, on_link_events=events.extend)
    loop.start()
    assert loop.service.reporting_elsewhere() == set()
    loop.service.yield_robot(1)
    loop.run(5.0)
    assert loop.service.reporting_elsewhere() == {1}
    assert [event for event in events if isinstance(event, NodeReady)][1:] == []
    loop.service.serve_robot(1)
    loop.run(3.0)
    assert assign(loop) is None
    assert loop.run_until_ended("a").state is TaskState.SUCCEEDED


def test_status_has_the_node_of_a_robot_configured_by_its_uuid(tmp_path: Path) -> None:
    fleet = read(tmp_path, f"robots:\n- {{id: 7, uuid: '{5:032x}', home: {{x_m: 1, y_m: 1}}}}\n")
    lab = Lab(
        fleet, build_world({"arena": {"width_m": 2, "height_m": 2}, "robots": [{"node_id": 5, "x_m": 1, "y_m": 1}]})
    )
    assert lab.service.status(7, lab.now_ns).node_id is None
    lab.start()
    assert lab.service.status(7, lab.now_ns).node_id == 5


def test_robot_that_gives_up_reports_how_far_it_is_from_its_goal(tmp_path: Path) -> None:
    loop = closed_loop(tmp_path, settings="tasks: {no_progress_s: 5}")
    loop.start()
    assign(loop, goal=Pose2D(1.99, 1.0, 0.0))
    detail = loop.run_until_ended("a", 60.0).detail
    assert detail.startswith("no nearer to the goal for 5 s, 0.0")
    assert detail.endswith(" degrees from (1.990, 1.000); look for what blocks the robot")


def test_busy_robot_names_its_task(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    assign(loop, "b")
    assert loop.status().reason_detail.startswith("it performs task_go_to 'a' (")


def test_silent_robot_is_reported_with_the_length_of_its_silence(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    loop.switch_off()
    detail = loop.run_until_ended("a", 10.0).detail
    assert detail.startswith(("no link to the robot: ", "no odometry for 3."))


def test_robot_without_poses_names_the_topic_and_the_silence(loop: Lab) -> None:
    assign(loop)
    loop.run(1.0)
    loop.hidden.update(loop.robot_ids)
    assert loop.run_until_ended("a", 10.0).detail.startswith("nothing on /")


def test_stop_halts_a_robot_that_runs_a_script_of_its_user(tmp_path: Path) -> None:
    seen: list[LinkEvent] = []
    loop = closed_loop(tmp_path, on_link_events=seen.extend)
    loop.start()
    ready = next(event for event in seen if isinstance(event, NodeReady))
    drives = compile_code("motor.left.target = 200\nmotor.right.target = 200\n", [], {}, ready.node.description)
    assert loop.link.node(ready.node.address).load(drives)
    loop.run(2.0)
    assert loop.speed() > 0.05
    assert (loop.status().state, loop.status().level) == ("scripted", Level.WARN)
    assert loop.status().message.endswith("; thymio-fleet script default 1 loads the fleet's")
    assert assign(loop) is Reason.ROBOT_LOST
    loop.service.stop()
    loop.run(2.0)
    assert loop.speed() == 0.0
    assert loop.status().state == "stopped"
    loop.service.resume()
    assert assign(loop) is None
