"""A fleet for the dashboard without ROS: robots that drive straight to their goals, with everything a page shows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, assert_never

from fleet.dashboard.model.fleet_entries import SeenDriver
from fleet.dashboard.model.job_view import JobsReport
from fleet.dashboard.model.story import Story
from fleet.dashboard.orders.command_desk import Finder
from fleet.dashboard.orders.command_log import CommandProgress, CommandState
from fleet.dashboard.orders.fleet_orders import (
    BatteryOrder,
    CancelOrder,
    ChangeJobsOrder,
    FleetOrder,
    IdentifyOrder,
    JobChange,
    LawOrder,
    LinkOrder,
    PushOrder,
    RobotOrder,
    SimulatedLink,
    SubmitOrder,
    TaskOrder,
    TeleportOrder,
)
from fleet.dispatch.job_report import JobReport
from fleet.dispatch.records.job import JobState
from fleet.geometry import Pose2D, Twist2D, wrap_angle
from fleet.interface.seen_floor import Material, Patch, SceneFloor
from fleet.tasks.route import RouteLegKind
from fleet.tasks.task_kind import TaskKind
from fleet.tasks.task_report import LegKind, LegReport, TaskReport
from fleet.work.kinds import KIND_NAMES
from fleet.work.work import Place

ARENA_M = (0.0, 0.0, 4.2, 2.2)
CAN = (*KIND_NAMES, "law", "drive", "identify")
FLOOR = SceneFloor(
    walls_m=(((2.0, 0.0), (2.0, 0.6)),),
    patches=(
        Patch(Material.FLOOR, ((0.2, 1.0), (4.0, 1.0), (4.0, 1.02), (0.2, 1.02)), 0.2),
        Patch(Material.CHARGER, ((0.3, 0.2), (0.5, 0.2), (0.5, 0.4), (0.3, 0.4)), 0.8, "charger 1"),
        Patch(Material.OBJECT, ((3.0, 1.6), (3.1, 1.6), (3.1, 1.7), (3.0, 1.7)), 0.5, "crate"),
    ),
)
DRIVER = SeenDriver("lab-pc", "/multi_thymio_driver", "d1")
_SPEED_MPS = 0.14
_POSE_NS, _STATUS_NS = 100_000_000, 1_000_000_000
_DWELL_S = 2.0
_CHANGED = {
    JobChange.CANCEL: JobState.CANCELED,
    JobChange.HOLD: JobState.HELD,
    JobChange.RELEASE: JobState.QUEUED,
}


@dataclass
class ScriptedRobot:
    """One robot: where it is, and what it still has to do."""

    robot_id: int
    pose: Pose2D
    home: Pose2D
    battery_pct: int = 94
    pose_age_s: float = 0.05
    link: str = "connected"
    law: str = "lqr"
    task_id: str = ""
    kind: str = ""
    words: str = ""
    command_id: str = ""
    legs: list[LegReport] = field(default_factory=list)
    leg: int = 0
    dwelt_s: float = 0.0
    last: tuple[str, str, str] = ("", "", "")  # task, result, detail
    twist: tuple[Twist2D, int] | None = None  # of teleoperation, and until when
    identified: int = 0

    @property
    def plan(self) -> list[Pose2D]:
        return [leg.pose for leg in self.legs[self.leg :] if leg.pose is not None]

    def way_m(self) -> float:
        places = [self.pose, *self.plan]
        return sum(one.distance_to(other) for one, other in pairwise(places))


class ScriptedFleet:
    """Feed and execution of a dashboard at once; time passes when the feed is read.

    Attributes
    ----------
    orders : all orders so far
    is_silent : publish nothing at all
    is_connected : whether the driver's target is connected
    confirms_stop : whether the driver confirms a STOP
    jobs : by their ids, if the driver accepts jobs
    old_jobs : that it publishes no more
    book_trouble : why the driver cannot keep jobs; "" if it can
    diagnostics : what the driver says of itself and its targets
    """

    def __init__(
        self, count: int = 8, *, has_simulator: bool = True, task_topic: bool = True, has_jobs: bool = False
    ) -> None:
        self.robots: dict[int, ScriptedRobot] = {}
        for index in range(count):
            home = Pose2D(0.6 + 1.0 * (index % 4), 0.6 + 1.0 * (index // 4 % 2) + 0.01 * (index // 8), 0.0)
            self.robots[index + 1] = ScriptedRobot(index + 1, home, home)
        self.orders: list[FleetOrder] = []
        self.driven: list[tuple[int, Twist2D]] = []
        self.is_silent = False
        self.is_connected = True
        self.is_stopped = False
        self.confirms_stop = True
        self.jobs: dict[str, JobReport] = {}
        self.old_jobs: dict[str, JobReport] = {}
        self.book_trouble = ""
        self.diagnostics = {"ticks": "100", "tick_overruns": "1", "commands": "9", "tcp:host=127.0.0.1": "connected"}
        self._has_jobs = has_jobs
        self._has_simulator = has_simulator
        self._task_topic = task_topic
        self._progress: list[CommandProgress] = []
        self._now_ns = 0
        self._posed_ns = self._told_ns = -_STATUS_NS
        self._count = 0
        self._changed: set[int] = set(self.robots)

    # The feed

    @property
    def waited_s(self) -> float | None:
        return None

    def take(self, story: Story, now_ns: int) -> None:
        step_s, self._now_ns = min((now_ns - self._now_ns) * 1e-9, 1.0), now_ns
        for robot in self.robots.values():
            self._advance(robot, step_s)
        if self.is_silent:
            return
        if now_ns - self._posed_ns >= _POSE_NS:
            self._posed_ns = now_ns
            self._publish_poses(story, now_ns)
        if now_ns - self._told_ns >= _STATUS_NS:
            self._told_ns = now_ns
            self._publish_statuses(story, now_ns)
        for robot_id in sorted(self._changed):
            self._publish_task(story, self.robots[robot_id], now_ns)
        self._changed.clear()

    def rays(self, robot_id: int) -> dict[str, Any] | None:
        robot = self.robots.get(robot_id)
        if robot is None:
            return None
        pose = robot.pose
        rays = [[angle, 0.1 if index == 2 else None] for index, angle in enumerate((-0.66, -0.33, 0.0, 0.33, 0.66))]
        origin = [pose.x_m, pose.y_m, pose.heading_rad]
        return {"type": "rays", "robot": robot_id, "origin": origin, "rays": rays, "max_m": 0.2}

    def _publish_poses(self, story: Story, now_ns: int) -> None:
        for robot in self.robots.values():
            if robot.link == "connected":
                story.on_poses({robot.robot_id: robot.pose}, now_ns)
            if self._has_simulator:
                story.on_truth(robot.robot_id, robot.pose.compose(Pose2D(0.004, 0.003, 0.0)), now_ns)

    def _publish_statuses(self, story: Story, now_ns: int) -> None:
        if self._has_simulator:
            story.on_floor(FLOOR)
            story.on_simulated_time(now_ns * 1e-9, now_ns)
        driver = SeenDriver(DRIVER.host, DRIVER.node, DRIVER.token, tuple(self.robots), self.is_stopped)
        story.on_driver(driver, now_ns)
        lost = {} if self.is_connected else {"tcp:host=127.0.0.1": "lost"}
        story.on_diagnostics(DRIVER.token, "driver", self.diagnostics | lost, now_ns)
        if self._has_jobs:
            story.jobs.on_report(JobsReport(tuple(self.jobs.values()), (), self.book_trouble, now_ns), now_ns)
        for robot in self.robots.values():
            story.on_offer(robot.robot_id, CAN)
            self._publish_status(story, robot, now_ns)

    def _publish_status(self, story: Story, robot: ScriptedRobot, now_ns: int) -> None:
        level, message = self._judge(robot)
        values = {
            "battery": self._battery(robot),
            "busy": "yes" if robot.task_id else "no",
            "assigned_task": robot.task_id,
            "state": "executing" if robot.task_id else "stopped" if self.is_stopped else "idle",
            "progress": "0.50" if robot.task_id else "0.00",
            "eta_s": f"{robot.way_m() / _SPEED_MPS:.1f}",
            "last_task": robot.last[0],
            "last_result": robot.last[1],
            "last_result_detail": robot.last[2],
            "localization": "tracked",
            "link": robot.link,
            "battery_pct": str(robot.battery_pct),
            "law": robot.law,
            "cross_track_mm": f"{0.1 * robot.robot_id:.1f}" if robot.task_id else "",
            "pose_age_s": f"{robot.pose_age_s:g}",
            "task": robot.words,
            "plan": " ".join(f"{one.x_m:.2f},{one.y_m:.2f},{math.degrees(one.heading_rad):.0f}" for one in robot.plan),
            "home": f"{robot.home.x_m:.2f},{robot.home.y_m:.2f},0",
            "node": str(robot.robot_id),
            "traffic": "free",
            "waiting_for": "",
            "blocked_by": "",
            "waited_s": "0.0",
        }
        story.on_status(robot.robot_id, level, message, values, now_ns)

    def _judge(self, robot: ScriptedRobot) -> tuple[int, str]:
        if robot.link != "connected":
            return 2, "no link to the robot: tcp:host=127.0.0.1;port=33333: not seen for 3 s"
        if self.is_stopped:
            return 2, "stopped: waiting to be resumed"
        if self._battery(robot) != "ok":
            level = 2 if self._battery(robot) == "critical" else 1
            return level, f"battery {self._battery(robot)}: {robot.battery_pct} %"
        return 0, "idle"

    def _battery(self, robot: ScriptedRobot) -> str:
        return "critical" if robot.battery_pct < 10 else "low" if robot.battery_pct < 25 else "ok"

    def _publish_task(self, story: Story, robot: ScriptedRobot, now_ns: int) -> None:
        if not self._task_topic:
            return
        state = "executing" if robot.task_id else robot.last[1].partition(":")[0]
        report = TaskReport(
            task_id=robot.task_id or robot.last[0],
            kind=robot.kind,
            state=state,
            reason=robot.last[1].partition(":")[2] if not robot.task_id else "",
            detail=robot.last[2] if not robot.task_id else "",
            words=robot.words,
            legs=tuple(robot.legs),
            leg=robot.leg,
            plan_m=tuple((one.x_m, one.y_m) for one in (robot.pose, *robot.plan)),
            eta_s=robot.way_m() / _SPEED_MPS,
            clients=("/dashboard",),
        )
        story.on_task(robot.robot_id, report, now_ns)

    # The robots

    def _advance(self, robot: ScriptedRobot, step_s: float) -> None:
        if robot.twist is not None:
            self._roll(robot, step_s)
        if not robot.task_id or robot.link != "connected":
            return
        leg = robot.legs[robot.leg]
        if leg.pose is None:
            robot.dwelt_s += step_s
            if robot.dwelt_s < leg.duration_s:
                return
        elif not self._drive_to(robot, leg.pose, step_s):
            return
        robot.dwelt_s = 0.0
        robot.leg += 1
        self._changed.add(robot.robot_id)
        if robot.leg == len(robot.legs):
            self.end(robot.robot_id, "SUCCEEDED")

    def _roll(self, robot: ScriptedRobot, step_s: float) -> None:
        assert robot.twist is not None
        twist, until_ns = robot.twist
        turn = Pose2D(twist.linear_mps * step_s, 0.0, twist.angular_radps * step_s)
        robot.pose = robot.pose.compose(turn)
        if self._now_ns > until_ns:
            robot.twist = None

    def _drive_to(self, robot: ScriptedRobot, goal: Pose2D, step_s: float) -> bool:
        left_m, step_m = robot.pose.distance_to(goal), _SPEED_MPS * step_s
        if left_m <= step_m:
            robot.pose = goal
            return True
        heading_rad = robot.pose.bearing_to(goal)
        x_m, y_m = robot.pose.x_m, robot.pose.y_m
        robot.pose = Pose2D(x_m + step_m * math.cos(heading_rad), y_m + step_m * math.sin(heading_rad), heading_rad)
        return False

    def take_up(self, robot_id: int, task_id: str, words: str, goal: Pose2D) -> None:
        """Let a robot perform a task of another client."""
        robot = self.robots[robot_id]
        robot.task_id, robot.kind, robot.words = task_id, "task_go_to", words
        robot.legs, robot.leg, robot.command_id = [_drive(goal)], 0, ""
        self._changed.add(robot_id)

    def end(self, robot_id: int, result: str, detail: str = "") -> None:
        """End a robot's task: SUCCEEDED, CANCELED or ABORTED:REASON."""
        robot = self.robots[robot_id]
        robot.last = robot.task_id, result, detail
        state, _, reason = result.partition(":")
        if robot.command_id:
            progress = CommandProgress(robot.command_id, CommandState(state.lower()), reason, detail, robot.task_id)
            self._progress.append(progress)
        robot.task_id = robot.command_id = ""
        self._changed.add(robot_id)

    # The execution

    def start(self, command_id: str, order: FleetOrder) -> None:
        self.orders.append(order)
        if isinstance(order, SubmitOrder | ChangeJobsOrder):
            self._dispatch(command_id, order)
        else:
            self._start(command_id, order)

    def _dispatch(self, command_id: str, order: SubmitOrder | ChangeJobsOrder) -> None:
        if isinstance(order, SubmitOrder):
            self.set_job(order.job.job_id, JobState.QUEUED, words=str(order.job.work))
        else:
            state = _CHANGED[order.change]
            for job_id in order.job_ids:
                self.set_job(job_id, state)
        self._progress.append(CommandProgress(command_id, CommandState.DONE))

    def set_job(self, job_id: str, state: JobState, **changes: Any) -> None:
        """Set the state of a job, which may be new; pages are told at once."""
        known = self.jobs.get(job_id) or JobReport(
            job_id, "", state, 0, -1, 5, -1.0, 0.0, 0, "", "", self._now_ns, ended_ns=0
        )
        ended_ns = self._now_ns if state.value.isupper() else 0
        self.jobs[job_id] = replace(known, state=state, ended_ns=ended_ns, **changes)
        self._told_ns = self._now_ns - _STATUS_NS

    def _start(self, command_id: str, order: RobotOrder) -> None:
        robot = self.robots[order.robot_id]
        if isinstance(order, TaskOrder):
            self._send_task(robot, command_id, order)
        else:
            self._do(robot, order)
            self._progress.append(CommandProgress(command_id, CommandState.DONE))

    def _send_task(self, robot: ScriptedRobot, command_id: str, order: TaskOrder) -> None:
        work = order.work
        places = [place.pose for place in work.places]
        unnamed = str(replace(work, places=tuple(map(Place, places))))
        match work.kind:
            case TaskKind.GO_TO:
                goal = replace(places[0], heading_rad=wrap_angle(places[0].heading_rad))
                legs = [_drive(goal)]
            case TaskKind.GO_HOME:
                legs = [_drive(robot.home)]
            case TaskKind.TRANSPORT:
                dwells = [LegReport(LegKind.DWELL, None, _DWELL_S, loads) for loads in (True, False)]
                legs = [_drive(places[0]), dwells[0], _drive(places[1]), dwells[1]]
            case TaskKind.DOCK:
                legs = [_drive(places[0]), LegReport(LegKind.CHARGE, None, _DWELL_S)]
            case TaskKind.FOLLOW_ROUTE:
                drives = [leg for leg in work.route if leg.kind is RouteLegKind.DRIVE]
                legs = [_drive(Pose2D(*point_m, 0.0)) for leg in drives for point_m in leg.points_m]
            case TaskKind.FOLLOW_PATH:
                square = [Pose2D(0.3, 0.0, 0.0), Pose2D(0.3, 0.3, 0.0), Pose2D(0.0, 0.3, 0.0), Pose2D(0.0, 0.0, 0.0)]
                legs, unnamed = [_drive(robot.pose.compose(corner)) for corner in square], "follow square"
            case _:
                assert_never(work.kind)
        self._send(robot, command_id, work.kind.value, unnamed, legs)

    def _do(self, robot: ScriptedRobot, order: RobotOrder) -> None:
        match order:
            case CancelOrder():
                if robot.task_id:
                    self.end(robot.robot_id, "CANCELED")
            case LawOrder(_, law, _):
                robot.law = law or robot.law
            case IdentifyOrder():
                robot.identified += 1
            case PushOrder(_, distance_m, heading_rad):
                way = Pose2D(distance_m * math.cos(heading_rad), distance_m * math.sin(heading_rad), 0.0)
                robot.pose = robot.pose.compose(way)
            case LinkOrder(_, link):
                robot.link = "connected" if link is SimulatedLink.CONNECTED else "lost"
            case BatteryOrder(_, charge):
                robot.battery_pct = round(100.0 * charge)
            case TeleportOrder(_, pose):
                robot.pose = pose

    def call_stop(self, *, is_stop: bool) -> None:
        if not self.confirms_stop:
            return
        self.is_stopped = is_stop
        if is_stop:
            for robot in self.robots.values():
                robot.twist = None
                if robot.task_id:
                    self.end(robot.robot_id, "ABORTED:STOPPED", "the fleet is stopped until it is resumed")
        self._told_ns = self._now_ns - _STATUS_NS

    def find_job(self, job_id: str, tell: Finder) -> None:
        tell(self.old_jobs.get(job_id))

    def stop_local(self) -> list[SeenDriver]:
        if not self.confirms_stop:
            return []
        return [SeenDriver(DRIVER.host, DRIVER.node, DRIVER.token, tuple(self.robots), is_stopped=True)]

    def drive(self, robot_id: int, twist: Twist2D) -> None:
        self.driven.append((robot_id, twist))
        self.robots[robot_id].twist = twist, self._now_ns + 500_000_000

    def advance(self, story: Story, now_ns: int) -> Sequence[CommandProgress]:
        found, self._progress = self._progress, []
        return found

    def _send(self, robot: ScriptedRobot, command_id: str, kind: str, words: str, legs: list[LegReport]) -> None:
        problem = self._objection(robot, legs)
        if problem is not None:
            self._progress.append(CommandProgress(command_id, CommandState.REJECTED, *problem))
            return
        self._count += 1
        robot.task_id, robot.kind, robot.words = f"{kind.removeprefix('task_')}-{self._count:04x}", kind, words
        robot.legs, robot.leg, robot.command_id = legs, 0, command_id
        self._progress.append(CommandProgress(command_id, CommandState.EXECUTING, task_id=robot.task_id))
        self._changed.add(robot.robot_id)

    def _objection(self, robot: ScriptedRobot, legs: list[LegReport]) -> tuple[str, str] | None:
        if self.is_stopped:
            return "STOPPED", "the fleet is stopped until it is resumed; try: thymio-fleet resume"
        if robot.task_id:
            return "BUSY", f"it performs {robot.words} (50%, 3 s to go); wait, or try: thymio-fleet cancel"
        x_min, y_min, x_max, y_max = ARENA_M
        for leg in legs:
            pose = leg.pose
            if pose and not (x_min + 0.08 <= pose.x_m <= x_max - 0.08 and y_min + 0.08 <= pose.y_m <= y_max - 0.08):
                return (
                    "OUT_OF_ARENA",
                    f"y = {pose.y_m:.3f}, at most 2.120, as the body needs 0.08 m to the arena's edge",
                )
        return None


def _drive(pose: Pose2D) -> LegReport:
    return LegReport(LegKind.DRIVE, pose)
