"""One robot: its task, and the wheel speeds that it requests."""

import math
from typing import Final

from aseba_link.thymio.events import COMMAND_TIMEOUT_S
from fleet.actuation.chassis import REST, Chassis
from fleet.actuation.wheel_response import MotionForecast
from fleet.control.tracker_config import TrackerConfig
from fleet.errors import GoalRejectedError
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.pose_quality import Localization, PoseQuality
from fleet.reason import Explanation, Reason
from fleet.robots.activity import Activity
from fleet.robots.battery import BatteryLevel
from fleet.robots.fault_count import FaultCount
from fleet.robots.readiness import Readiness
from fleet.robots.robot_status import LinkState, RobotStatus, TaskOutcome
from fleet.robots.standstill import Displacement, Standstill
from fleet.robots.step_aside import StepAside
from fleet.robots.telemetry import Telemetry
from fleet.robots.teleoperation import Teleoperation
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.tasks import explanations
from fleet.tasks.leg_planner import LegPlanner
from fleet.tasks.legs import FollowLeg, Growth
from fleet.tasks.route import RouteProgress
from fleet.tasks.task import Task, TaskRequest, TaskState
from fleet.tasks.task_report import TaskReport
from fleet.tasks.task_words import pose_text
from fleet.traffic.traffic_state import ALONE, TrafficPhase, TrafficState
from fleet.wheels.differential_drive import is_still
from fleet.work.kinds import KINDS

_CONNECTED: Final = LinkState.CONNECTED  # these are looked up once because every tick uses them
_CANCELING: Final = TaskState.CANCELING
_LOST: Final = LinkState.LOST
_DETAIL_MAX: Final = 500  # characters in status; the problems of a path may be many
_STOPS_ALONE_S = COMMAND_TIMEOUT_S + 0.2  # without commands a robot stands still after this, motor run-out included


class Robot:
    """Everything that the fleet knows about one robot, and its task.

    Parameters
    ----------
    config : the robot's part of the configuration
    fleet : the configuration that all robots share
    planner : plans the legs of tasks

    Attributes
    ----------
    chassis : the robot's wheels
    telemetry : the robot's reports, and the state estimated from them
    command : the wheel speeds requested by the latest step
    tracker : the robot's control law and its tuning
    aside : how it steps aside for another robot; None unless it does so
    """

    def __init__(self, config: RobotConfig, fleet: FleetConfig, planner: LegPlanner) -> None:
        self.config = config
        self.chassis = Chassis(config.wheels, fleet.actuation)
        self.telemetry = Telemetry(config, fleet, self.chassis)
        self.command = REST
        self.tracker = fleet.tracker
        self.aside: StepAside | None = None
        self._fleet = fleet
        self._home = pose_text(config.home)
        self._planner = planner
        self._teleoperation = Teleoperation(fleet.driver.cmd_vel_timeout_s)
        self._standstill = Standstill()
        self._task: Task | None = None
        self._last_outcome: TaskOutcome | None = None
        self._last_report = TaskReport()
        self._assigned = 0  # number of tasks so far
        self._explanation: Explanation | None = None
        self._unreachable_ns: int | None = None
        self._clientless_ns: int | None = None  # since when no client could cancel the task
        self._canceled_ns = 0
        self._is_stopped = False
        self._faults = FaultCount()

    @property
    def task_id(self) -> str:
        """Id of the assigned task, "" when idle."""
        return "" if self._task is None else self._task.request.task_id

    @property
    def request(self) -> TaskRequest | None:
        """The request of its task; None without one."""
        return None if self._task is None else self._task.request

    @property
    def docks_at(self) -> Pose2D | None:
        """The charger onto which it will drive, also without a task; None without one."""
        if self._task is not None:
            return self._task.request.docks_at
        task = None if self.aside is None else self.aside.task
        return None if task is None else task.request.docks_at

    @property
    def is_canceling(self) -> bool:
        """Whether the assigned task is being canceled."""
        return self._task is not None and self._task.state is _CANCELING

    @property
    def is_planning(self) -> bool:
        """Whether it stands still while a long path is planned, without regard to other robots."""
        return self._planner.is_planning

    @property
    def explanation(self) -> Explanation | None:
        """Why the latest goal was rejected or the latest task aborted; None after a task was accepted."""
        return self._explanation

    @property
    def task_version(self) -> tuple[int, int]:
        """Changes whenever `task_report` changes in more than progress."""
        return self._assigned, -1 if self._task is None else self._task.version

    def readiness(self, now_ns: int, *, is_served: bool) -> Readiness:
        """Return whether the robot could take a task; `is_served` is False if another driver serves it."""
        task, telemetry = self._task, self.telemetry
        is_able = is_served and not self._is_stopped and not self._faults.text and telemetry.may_report_again(now_ns)
        is_able = is_able and not telemetry.has_no_pose(now_ns) and self._teleoperation.twist(now_ns) is None
        return Readiness(
            robot_id=self.config.id,
            home=self.config.home,
            pose=None if telemetry.estimate is None else telemetry.estimate.pose,
            is_able=is_able and telemetry.battery.level is not BatteryLevel.CRITICAL,
            may_drive=is_served and self.may_step_aside(now_ns),
            is_stopped=self._is_stopped,
            is_aside=self.aside is not None and not self.aside.waits,
            aside_at=None if self.aside is None else self.aside.place,
            task_id=self.task_id,
            leg=0 if task is None else task.leg,
            task_end=None if task is None else task.request.end_place,
            eta_s=0.0 if task is None else task.eta_s,
            has_way=task is None or task.has_way,
            progress=0.0 if task is None else task.progress,
            charge=telemetry.battery.charge,
            drain_per_s=telemetry.battery.drain_per_s,
            is_served=is_served,
            last_outcome=self._last_outcome,
        )

    @property
    def reference(self) -> Pose2D | None:
        """Desired pose according to the plan of its task, in the map; None without a plan."""
        return None if self._task is None else self._task.reference

    def task_report(self) -> TaskReport:
        """Return the report on its current or latest task; its clients are not known here."""
        return self._last_report if self._task is None else self._task.report()

    # Requests to the fleet

    def objection(self, request: TaskRequest, now_ns: int) -> Explanation | None:
        """Return why this robot cannot accept the task now; None if it can."""
        if self._is_stopped or self._faults.text:
            return explanations.stopped() if self._is_stopped else explanations.out_of_service(self._faults.text)
        if self._task is not None:
            task = f"{self._task.request.kind.value} {self.task_id!r}"
            return explanations.busy(task, self._task.progress, self._task.eta_s, self.config.id)
        if not self.telemetry.may_report_again(now_ns):
            return self._lost(now_ns)
        if self.telemetry.has_no_pose(now_ns):
            return self._no_pose(now_ns)
        is_rescue = KINDS[request.kind].is_rescue or request.ends_in_charger
        if self.telemetry.battery.level is BatteryLevel.CRITICAL and not is_rescue:
            return explanations.battery_critical(self.telemetry.battery.percent, self.config.id)
        return None

    def assign(self, request: TaskRequest) -> None:
        """Start a task to which there was no objection."""
        self._teleoperation.release()
        self._stay()
        self._standstill.clear()
        self._assigned += 1
        self._task = Task(request, self._fleet.motion, self.tracker, self._fleet.tasks, self._planner)
        self._explanation = None
        self._clientless_ns = None

    def followed(self, task_id: str) -> FollowLeg:
        """Return the leg of a task that follows a path now.

        Raises
        ------
        GoalRejectedError
            The robot does not perform this task, or the task is being canceled or follows no path.
        """
        task = self._task if self.task_id == task_id else None
        leg = None if task is None else task.followed
        if leg is None:
            why = explanations.not_running(task_id, self.task_id, None if task is None else task.state.value)
            raise GoalRejectedError(why.reason, why.detail)
        return leg

    def routed(self, task_id: str) -> TaskRequest:
        """Return the request so far of a task that performs a route now.

        Raises
        ------
        GoalRejectedError
            The robot does not perform this task, or the task is being canceled or has no route.
        """
        task = self._task if self.task_id == task_id else None
        if task is None or not task.is_route:
            state = None if task is None else task.state.value
            why = explanations.not_running(task_id, self.task_id, state, explanations.HAS_NO_ROUTE)
            raise GoalRejectedError(why.reason, why.detail)
        return task.request

    @property
    def route_progress(self) -> RouteProgress | None:
        """Progress along its route; None if it performs none."""
        return None if self._task is None else self._task.route_progress

    @property
    def last_leg_remaining_m(self) -> float:
        """Remaining length of the last leg of its task; infinite before that starts."""
        task = self._task
        is_last = task is not None and task.leg == len(task.request.legs) - 1
        return self.remaining_m if is_last else math.inf

    def extend(self, request: TaskRequest, growth: Growth | None) -> None:
        """Continue with a longer route; `routed` has returned the request before."""
        if self._task is not None:
            self._task.extend(request, growth)

    @property
    def remaining_m(self) -> float:
        """Remaining length of its current drive; infinite before it starts, and without a task."""
        return math.inf if self._task is None else self._task.remaining_m

    def grow(self, leg: FollowLeg, growth: Growth) -> None:
        """Continue along a path that has grown; `followed` has returned its leg."""
        if self._task is not None:
            self._task.grow(leg, growth)

    def configure_tracker(self, tracker: TrackerConfig, now_ns: int) -> None:
        """Use another control law, or other gains, from now on; a running task continues with it."""
        self.tracker = tracker
        if self._task is not None:
            self._task.configure(tracker, now_ns)

    def drive(self, twist: Twist2D, now_ns: int) -> Reason | None:
        """Accept a teleoperation twist for `driver.cmd_vel_timeout_s`; return None, or why the robot refuses."""
        if self._refusal is not None:
            return self._refusal
        if self.telemetry.link_state(now_ns) is not _CONNECTED:
            return Reason.ROBOT_LOST
        self._stay()
        self._teleoperation.drive(twist, now_ns)
        self._standstill.start()
        return None

    def note_rejection(self, explanation: Explanation) -> None:
        """Remember for status why a goal was rejected; the running task is not affected."""
        self._explanation = explanation.shortened(_DETAIL_MAX)

    def cancel(self, task_id: str, now_ns: int) -> bool:
        """Start to cancel the task if it is the assigned one; return whether it is."""
        if self._task is None or self._task.request.task_id != task_id:
            return False
        self._task.cancel()
        self._planner.give_up()
        self._canceled_ns = now_ns
        return True

    def note_client(self, has_client: bool, now_ns: int) -> None:
        """Note whether a client that could cancel the task is still there; see `tasks.client_lost_s`."""
        if has_client or not self._fleet.tasks.client_lost_s:
            self._clientless_ns = None
        elif self._clientless_ns is None:
            self._clientless_ns = now_ns

    def stop(self) -> None:
        """Stop until resumed: the task is aborted, new ones are rejected."""
        self._is_stopped = True
        self.abort(explanations.stopped())

    def resume(self) -> None:
        """Accept tasks again."""
        self._is_stopped = False
        self._faults.clear()

    def fail(self, text: str, now_ns: int) -> TaskOutcome | None:
        """Note an exception of the robot's step, stop it, and end its task in any state.

        Several exceptions in a short time take the robot out of service until it is resumed.
        """
        self._faults.note(text, now_ns)
        self._planner.give_up()  # if this raises as well, the task stays, and `break_off` can still end it
        return self.break_off(explanations.internal(text))

    def break_off(self, explanation: Explanation) -> TaskOutcome | None:
        """Stop, and end the task at once without calling anything that may fail; return its outcome, if any."""
        task, self._task = self._task, None
        self.command = REST
        self.aside = None
        self._teleoperation.release()
        self._explanation = explanation.shortened(_DETAIL_MAX)
        if task is None:
            return None
        request, detail = task.request, self._explanation.detail
        self._last_report = TaskReport(
            request.task_id, request.kind.value, TaskState.ABORTED.value, explanation.reason.value, detail
        )
        self._last_outcome = TaskOutcome(
            self.config.id,
            request.task_id,
            request.kind,
            TaskState.ABORTED,
            explanation.reason,
            detail=detail,
            leg=task.leg,
            route=task.route_progress,
        )
        return self._last_outcome

    def abort(self, explanation: Explanation) -> None:
        """Abort the task, if there is one; the next step reports its end. Also end teleoperation and giving way."""
        self._teleoperation.release()
        self._stay()
        if self._task is not None:
            self._task.abort(explanation)

    # Giving way

    def may_step_aside(self, now_ns: int) -> bool:
        """Whether the robot is idle, and can drive."""
        is_idle = self._refusal is None and self._teleoperation.twist(now_ns) is None
        is_reached = self.telemetry.link_state(now_ns) is _CONNECTED and not self.telemetry.has_no_pose(now_ns)
        return is_idle and is_reached

    def step_aside(self, request: TaskRequest) -> None:
        """Perform a task that leads aside and wait there, until a client's task, a twist or a stop arrives."""
        estimate = self.telemetry.estimate
        if self.aside is None and estimate is not None:
            self.aside = StepAside(estimate.pose, self._fleet, self._planner)
        if self.aside is not None:
            self._standstill.clear()
            self.aside.leave(request, self.tracker)

    def come_back(self) -> None:
        """Drive back to where the robot was before it stepped aside."""
        if self.aside is not None:
            self.aside.come_back(self.tracker)

    def _stay(self) -> None:
        """Stop giving way: the robot stays where it is."""
        if self.aside is not None:
            self.aside.wait()
            self.aside = None
            self._standstill.start()

    @property
    def _refusal(self) -> Reason | None:
        """The reason why a robot cannot drive, by a task or by teleoperation, even if it can be reached."""
        if self._is_stopped:
            return Reason.STOPPED
        if self._faults.text:
            return Reason.INTERNAL
        return None if self._task is None else Reason.BUSY

    # The tick

    def want(self, forecast: MotionForecast | None, now_ns: int) -> Twist2D:
        """Return the twist that the robot wants to drive now; `forecast` is that of its telemetry."""
        if self._faults.text:
            return STILL
        link = self.telemetry.link_state(now_ns)
        self._note_link(link, now_ns)
        if self.aside is not None:
            return self._give_way(self.aside, link, now_ns)
        if self._task is None:
            return self._act_by_hand(link, now_ns)
        if self._task.state is _CANCELING:
            if self._has_stopped(link, now_ns):
                self._task.stopped()
            return STILL
        self._abort_if_lost(link, now_ns)
        if link is not _CONNECTED or forecast is None or self._clientless_ns is not None:
            self._task.hold(now_ns)
            return STILL
        self._note_charge(self._task)
        return self._task.step(forecast, now_ns)

    def _note_charge(self, task: Task) -> None:
        battery = self.telemetry.battery
        task.note_charge(battery.is_charged, battery.measured_ns)

    def obey(self, granted: Twist2D) -> TaskOutcome | None:
        """Make the granted twist the next command; return the outcome of the task if it just ended."""
        self.command = self.chassis.command(granted)
        return self._pop_outcome()

    def teleoperation(self, now_ns: int) -> Twist2D | None:
        """Return the twist by which it is teleoperated; None if it is not."""
        return self._teleoperation.twist(now_ns) if self._task is None else None

    def status(self, now_ns: int) -> RobotStatus:
        """Return a snapshot of everything reported about this robot."""
        task = self._task
        return RobotStatus(
            robot_id=self.config.id,
            pose_topic=self.config.pose_topic,
            link=self.telemetry.link_state(now_ns),
            link_text=self.telemetry.link_text,
            pose_quality=self.telemetry.pose_quality(now_ns),
            battery=self.telemetry.battery.level,
            battery_percent=self.telemetry.battery.percent,
            battery_volts=self.telemetry.battery.volts,
            is_charged=self.telemetry.battery.is_charged,
            is_stopped=self._is_stopped,
            is_driven=self._teleoperation.twist(now_ns) is not None,
            task_id=self.task_id,
            task_kind=task.request.kind if task else None,
            task_state=task.state if task else None,
            progress=task.progress if task else 0.0,
            eta_s=task.eta_s if task else 0.0,
            stalled_s=task.stalled_s(now_ns) if task else 0.0,
            reason=self._explanation.reason if self._explanation else None,
            reason_detail=self._explanation.detail if self._explanation else "",
            last_outcome=self._last_outcome,
            law=self.tracker.law,
            tracking_error=task.tracking_error if task else None,
            lap=task.lap if task else 0,
            task_words=task.words if task else "",
            route=self.route_progress,
            errand=self._errand,
            plan=task.plan if task else self._errand_plan,
            home=self._home,
            node_id=self.config.node_id,
            pushed=self._pushed(now_ns),
            outside=self.telemetry.outside_text(now_ns),
            waited_s=task.waited_s if task else 0.0,
            traffic=TrafficState(TrafficPhase.PLANNING) if self.is_planning else ALONE,
            fault=self._faults.text,
        )

    @property
    def _errand(self) -> Activity | None:
        """Its errand without a task, other than giving way; None while it has none."""
        aside = self.aside
        if aside is None or aside.task is None:
            return None
        if aside.task.request.docks_at is not None:
            return Activity.TO_CHARGER
        return Activity.GOING_HOME if aside.place == self.config.home else Activity.PARKING

    @property
    def _errand_plan(self) -> str:
        return "" if self.aside is None or self.aside.task is None else self.aside.task.plan

    def unreadable_status(self, text: str) -> RobotStatus:
        """Return the status of a robot whose own state cannot be read because of the exception in `text`."""
        task = self._task
        return RobotStatus(
            robot_id=self.config.id,
            pose_topic=self.config.pose_topic,
            link=_LOST,
            link_text=text,
            pose_quality=PoseQuality(Localization.UNKNOWN),
            battery=BatteryLevel.OK,
            battery_percent=0,
            is_charged=False,
            is_stopped=self._is_stopped,
            is_driven=False,
            task_id=self.task_id,
            task_kind=None if task is None else task.request.kind,
            task_state=None if task is None else task.state,
            progress=0.0,
            eta_s=0.0,
            stalled_s=0.0,
            reason=Reason.INTERNAL,
            last_outcome=self._last_outcome,
            law=self.tracker.law,
            tracking_error=None,
            lap=0,
            home=self._home,
            fault=self._faults.text or text,
        )

    def _act_by_hand(self, link: LinkState, now_ns: int) -> Twist2D:
        if link is _LOST:
            self._standstill.clear()  # it may be switched off and carried
        elif self.config.pose_topic and self._standstill.is_expected:
            self._standstill.update(self._measured(now_ns), self.telemetry.twist, now_ns)
        if link is not _CONNECTED:
            self._teleoperation.release()
        return self._teleoperation.twist(now_ns) or STILL

    def _give_way(self, aside: StepAside, link: LinkState, now_ns: int) -> Twist2D:
        forecast = self.telemetry.forecast(now_ns)
        if link is LinkState.STALE and self._unreachable_s(now_ns) <= self._fleet.link.lost_grace_s:
            aside.hold(now_ns)
            return STILL
        if link is not _CONNECTED or forecast is None or self.telemetry.has_no_pose(now_ns):
            self._stay()
            return STILL
        if aside.task is not None:
            self._note_charge(aside.task)
        twist = aside.step(forecast, now_ns)
        if aside.is_over:
            self._stay()
            if aside.explanation is not None and aside.explanation.reason is Reason.NOT_CHARGING:
                self._explanation = aside.explanation.shortened(_DETAIL_MAX)
        return twist

    def _measured(self, now_ns: int) -> Pose2D | None:
        """Return the pose while the pose source tracks the robot; otherwise None."""
        estimate = self.telemetry.estimate
        is_tracked = self.telemetry.localization(now_ns) is Localization.TRACKED
        return estimate.pose if estimate is not None and is_tracked else None

    def _pushed(self, now_ns: int) -> Displacement | None:
        """Return how far the idle robot was pushed away from where it stopped; None if it was not."""
        measured = None if self._task is not None else self._measured(now_ns)
        return None if measured is None else self._standstill.displacement(measured)

    def _note_link(self, link: LinkState, now_ns: int) -> None:
        if link is _CONNECTED:
            self._unreachable_ns = None
        elif self._unreachable_ns is None:
            self._unreachable_ns = now_ns

    def _unreachable_s(self, now_ns: int) -> float:
        return 0.0 if self._unreachable_ns is None else (now_ns - self._unreachable_ns) * 1e-9

    def _has_stopped(self, link: LinkState, now_ns: int) -> bool:
        """Whether the wheels stand still: as reported since the cancel or, without reports, by the robot's time-out."""
        if link is _CONNECTED:
            reported_ns = self.telemetry.reported_ns
            return reported_ns is not None and reported_ns > self._canceled_ns and is_still(self.telemetry.twist)
        return self._unreachable_s(now_ns) > _STOPS_ALONE_S

    def _abort_if_lost(self, link: LinkState, now_ns: int) -> None:
        if link is _CONNECTED and self.telemetry.has_no_pose(now_ns):
            self.abort(self._no_pose(now_ns))
        elif self._unreachable_s(now_ns) > self._fleet.link.lost_grace_s:
            self.abort(self._lost(now_ns))
        elif self._clientless_ns is not None and now_ns - self._clientless_ns > self._fleet.tasks.client_lost_s * 1e9:
            clientless_s = (now_ns - self._clientless_ns) * 1e-9
            self.abort(explanations.client_lost(clientless_s, self._fleet.tasks.client_lost_s))

    def _lost(self, now_ns: int) -> Explanation:
        """Explain that the robot cannot be reached."""
        reported_ns = self.telemetry.reported_ns
        if reported_ns is None or self.telemetry.link_state(now_ns) is LinkState.LOST:
            return explanations.no_link(self.telemetry.link_text, self.config.id)
        return explanations.silent((now_ns - reported_ns) * 1e-9, self._fleet.link.lost_grace_s)

    def _no_pose(self, now_ns: int) -> Explanation:
        """Explain that the robot's pose is unknown."""
        quality, lost_s = self.telemetry.pose_quality(now_ns), self._fleet.localization.lost_s
        return explanations.pose_lost(self.config.pose_topic, quality.age_s, quality.refusal_text, lost_s)

    def _pop_outcome(self) -> TaskOutcome | None:
        """Return the outcome of the task and forget the task, if it has ended."""
        task = self._task
        if task is None or not task.is_ended:
            return None
        self._task = None
        self._planner.give_up()
        self._standstill.start()
        self._last_report = task.report()
        why = self._explanation = task.explanation
        self._last_outcome = TaskOutcome(
            self.config.id,
            task.request.task_id,
            task.request.kind,
            task.state,
            why.reason if why else None,
            task.cross_track,
            why.detail if why else "",
            task.leg,
            task.route_progress,
        )
        return self._last_outcome
