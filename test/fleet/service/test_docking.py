"""Robots drive onto chargers slowly and straight, and try again until they are charged."""

import math
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from experiments.lab.lab import Lab
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.robots.activity import Activity
from fleet.robots.battery import BatteryLevel
from fleet.robots.robot_status import TaskOutcome
from fleet.tasks.legs import FollowLeg
from fleet.tasks.route import RouteLeg, RouteLegKind, RouteProgress
from fleet.tasks.task import TaskState, go_to
from fleet.tasks.task_kind import TaskKind
from fleet.work.docking import docking_legs
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Place, RouteExtension, Work
from harness.closed_loop import closed_loop
from thymio_base.parts import finished

CHARGER = Pose2D(1.5, 1.5, 0.5 * math.pi)
HOME = Pose2D(1.0, 1.0, 0.0)
AT_THE_WALL = Pose2D(1.5, 0.15, 0.5 * math.pi)


def stations(*poses: Pose2D) -> str:
    """Return the section of the fleet's file with chargers."""
    places = (
        f"{{name: dock_{n}, role: charge, pose: {{x_m: {pose.x_m}, y_m: {pose.y_m}, heading_rad: {pose.heading_rad}}}}}"
        for n, pose in enumerate(poses, 1)
    )
    return f"stations: [{', '.join(places)}]"


def lab_of(folder: Path, *chargers: Pose2D, settings: str = "", is_on: bool = True, count: int = 1) -> Lab:
    """Return a lab with chargers that has started; they give nothing unless they are on."""
    zones = (f"{{x_m: {pose.x_m}, y_m: {pose.y_m}, length_m: 0.08, width_m: 0.08}}" for pose in chargers)
    world = f"chargers: [{', '.join(zones) if is_on else ''}]"
    arena = f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: {count + 1}, y_max_m: 2}}"
    lab = closed_loop(folder, count, settings=f"{arena}\n{stations(*chargers)}\n{settings}", world=world)
    lab.start()
    return lab


def dock(lab: Lab, charger: Pose2D = CHARGER, robot_id: int = 1) -> Reason | None:
    """Have a robot dock; return why it refuses."""
    work = Work(TaskKind.DOCK, (Place(charger),))
    request = task_of_work(work, f"dock {robot_id}", lab.config, home=HOME, pose=None)
    return lab.service.assign(robot_id, request, lab.now_ns)


def run_until(lab: Lab, condition: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Let time pass until something is true."""
    for _ in range(round(20 * limit_s)):
        if condition():
            return
        lab.run(0.05)
    pytest.fail(f"not within {limit_s:g} s: {lab.status()}")


def docked(lab: Lab, charger: Pose2D = CHARGER) -> TaskOutcome:
    """Have robot 1 dock; return how that ended."""
    assert dock(lab, charger) is None
    run_until(lab, lambda: bool(lab.outcomes), 240.0)
    return lab.outcomes[-1]


def test_robot_ends_in_the_charger_and_is_charged(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER)
    assert docked(lab).state is TaskState.SUCCEEDED
    assert lab.truth(1).distance_to(CHARGER) < 0.02
    assert abs(lab.truth(1).heading_error_to(CHARGER)) < 0.09
    assert lab.status().is_charged


def test_robot_approaches_straight_and_slowly(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER)
    assert dock(lab) is None
    run_until(lab, lambda: lab.service.robot(1).readiness(lab.now_ns, is_served=True).leg == 1)
    places = [lab.truth(1)]
    while places[-1].distance_to(CHARGER) > 0.01:
        lab.run(0.05)
        places.append(lab.truth(1))
    late = [one for one in places if one.distance_to(CHARGER) < 0.19]
    assert late[0].y_m < CHARGER.y_m
    assert max(abs(one.x_m - CHARGER.x_m) for one in late) < 0.01
    assert max(one.distance_to(other) for one, other in pairwise(late)) < 0.06 * 0.05


def test_robot_backs_into_a_charger_at_a_wall(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, AT_THE_WALL)
    way_in = docking_legs(AT_THE_WALL, lab.config)[1]
    assert isinstance(way_in, FollowLeg)
    assert way_in.path.sample(0.1).is_backward
    assert docked(lab, AT_THE_WALL).state is TaskState.SUCCEEDED
    assert abs(lab.truth(1).heading_error_to(AT_THE_WALL)) < 0.09


def test_charger_without_room_on_either_side_is_refused(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings="docking: {approach_m: 1.9}")
    with pytest.raises(GoalRejectedError, match=r"no room 1.9 m behind or in front of the charger at \(1.500, 1.500\)"):
        dock(lab)


def test_robot_backs_off_and_tries_again_before_it_gives_up(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, is_on=False, settings="docking: {confirm_s: 8, tries: 2}")
    assert dock(lab) is None
    arrivals, is_in = 0, False
    while not lab.outcomes:
        lab.run(0.05)
        away_m = lab.truth(1).distance_to(CHARGER)
        arrivals += away_m < 0.02 and not is_in
        is_in = away_m < 0.02 or (is_in and away_m < 0.15)
    assert (lab.outcomes[0].state, lab.outcomes[0].reason) == (TaskState.ABORTED, Reason.NOT_CHARGING)
    assert arrivals == 2
    assert "not charged within 8 s, 2 times; check that the charger is on" in lab.outcomes[0].detail


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ("", "chargers are dock_1"),
        ("stations: [{name: press, role: load, pose: {x_m: 0.5, y_m: 0.5}}]", "fleet.yaml has no station"),
    ],
)
def test_place_that_is_not_a_charger_is_refused(settings: str, known: str, tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER) if not settings else closed_loop(tmp_path, settings=settings)
    with pytest.raises(GoalRejectedError) as caught:
        dock(lab, Pose2D(0.5, 0.5, 0.0))
    assert caught.value.reason is Reason.NOT_A_CHARGER
    assert caught.value.explanation.detail.startswith(f"(0.50, 0.50) is not a charger; {known}")


def test_place_near_a_charger_means_the_charger(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER)
    assert dock(lab, Pose2D(1.52, 1.48, 0.0)) is None
    assert (lab.service.robot(1).docks_at or HOME).distance_to(CHARGER) < 1e-9
    assert lab.status().task_words == "dock dock_1"


def test_robot_with_a_critical_battery_docks(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings="battery: {low_v: 4.1, critical_v: 4.0}")
    lab.simulation.world.batteries.charge[0] = 0.3
    run_until(lab, lambda: lab.status().battery is BatteryLevel.CRITICAL)
    assert re.match(r"battery critical: 3\.\d\d V, charge \d+ %$", lab.status().message), "both, as they may differ"
    away = go_to("away", Pose2D(0.5, 0.5, 0.0))
    assert lab.service.assign(1, away, lab.now_ns) is Reason.BATTERY_CRITICAL
    assert dock(lab) is None


def test_two_robots_do_not_dock_at_one_charger(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, count=2)
    assert dock(lab) is None
    assert dock(lab, robot_id=2) is Reason.CHARGER_TAKEN
    explanation = lab.service.robot(2).explanation
    assert explanation is not None
    assert explanation.detail == "robot 1 docks there; wait for it, or choose another charger"


def test_occupied_charger_ends_the_task_and_names_the_robot_in_it(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, count=2, settings="traffic: {blocked_s: 5}")
    assert docked(lab).state is TaskState.SUCCEEDED
    assert dock(lab, robot_id=2) is None
    run_until(lab, lambda: len(lab.outcomes) == 2)
    assert (lab.outcomes[1].reason, "robot 1" in lab.outcomes[1].detail) == (Reason.BLOCKED, True)


@pytest.mark.parametrize(
    ("disturb", "state", "reason"),
    [
        (lambda lab: lab.service.stop(), TaskState.ABORTED, Reason.STOPPED),
        (lambda lab: lab.service.take(1, "dock 1", lab.now_ns), TaskState.CANCELED, None),
        (lambda lab: lab.hidden.add(1), TaskState.ABORTED, Reason.POSE_LOST),
    ],
)
def test_docking_ends_where_any_task_would(
    disturb: Callable[[Lab], object], state: TaskState, reason: Reason | None, tmp_path: Path
) -> None:
    lab = lab_of(tmp_path, CHARGER)
    assert dock(lab) is None
    run_until(lab, lambda: lab.truth(1).distance_to(CHARGER) < 0.1)
    disturb(lab)
    run_until(lab, lambda: bool(lab.outcomes))
    assert (lab.outcomes[0].state, lab.outcomes[0].reason) == (state, reason)


JOBS = "dispatch: {enabled: true, charging: {low_pct: 60, ready_pct: 90}}"


def test_robot_with_little_charge_docks_without_a_task(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings=JOBS)
    lab.simulation.world.batteries.charge[0] = 0.2
    robot = lab.service.robot(1)
    run_until(lab, lambda: robot.docks_at is not None)
    assert robot.task_id == ""
    assert lab.status().activity is Activity.TO_CHARGER
    run_until(lab, lambda: lab.status().is_charged and robot.docks_at is None)
    assert lab.status().activity is Activity.CHARGING
    assert lab.truth(1).distance_to(CHARGER) < 0.02


def test_task_of_a_client_takes_the_robot_from_its_way_onto_a_charger(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings=JOBS)
    lab.simulation.world.batteries.charge[0] = 0.2
    robot = lab.service.robot(1)
    run_until(lab, lambda: robot.docks_at is not None)
    assert lab.service.assign(1, go_to("away", Pose2D(0.5, 0.5, 0.0)), lab.now_ns) is None
    assert (robot.docks_at, robot.task_id) == (None, "away")


def test_robot_whose_charger_is_off_says_why(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings=f"{JOBS}\ndocking: {{confirm_s: 8, tries: 1}}", is_on=False)
    lab.simulation.world.batteries.charge[0] = 0.2
    run_until(lab, lambda: lab.status().reason is Reason.NOT_CHARGING)
    assert "not charged within 8 s" in lab.status().reason_detail


def route(lab: Lab, *legs: RouteLeg) -> Reason | None:
    """Have robot 1 perform a route; return why it refuses."""
    estimate = lab.service.robot(1).telemetry.estimate
    work = Work(TaskKind.FOLLOW_ROUTE, route=legs)
    request = task_of_work(work, "route", lab.config, home=HOME, pose=estimate.pose if estimate else None)
    return lab.service.assign(1, request, lab.now_ns)


DOCKS = RouteLeg(RouteLegKind.DOCK, ((CHARGER.x_m, CHARGER.y_m),))
AWAY = RouteLeg(RouteLegKind.DRIVE, ((1.2, 1.0),))


def test_route_docks_and_leaves_the_charger_straight_when_it_grows(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER)
    assert route(lab, AWAY, DOCKS, RouteLeg(RouteLegKind.WAIT, value=5.0)) is None
    run_until(lab, lambda: lab.status().route == RouteProgress(2, 3), 120.0)
    assert lab.truth(1).distance_to(CHARGER) < 0.02
    assert finished(lab.service.extending_route(1, "route", RouteExtension((AWAY,), 3))) == 4
    places = []
    while not lab.outcomes:
        lab.run(0.05)
        places.append(lab.truth(1))
    assert lab.outcomes[0].state is TaskState.SUCCEEDED
    assert lab.outcomes[0].route == RouteProgress(4, 4)
    early = [one for one in places if one.distance_to(CHARGER) < 0.1]
    assert max(abs(one.heading_error_to(CHARGER)) for one in early) < 0.1
    assert places[-1].distance_to(Pose2D(1.2, 1.0, 0.0)) < 0.02


def test_critical_battery_allows_only_routes_that_end_in_a_charger(tmp_path: Path) -> None:
    lab = lab_of(tmp_path, CHARGER, settings="battery: {low_v: 4.1, critical_v: 4.0}")
    lab.simulation.world.batteries.charge[0] = 0.3
    run_until(lab, lambda: lab.status().battery is BatteryLevel.CRITICAL)
    assert route(lab, AWAY) is Reason.BATTERY_CRITICAL
    assert route(lab, DOCKS, AWAY) is Reason.BATTERY_CRITICAL
    assert route(lab, AWAY, DOCKS) is None
