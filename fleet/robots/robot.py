"""One robot: its task, its reports, and its motor targets."""

from collections.abc import Sequence
from typing import Final

from aseba_link.thymio.events import COMMAND_TIMEOUT_S, WheelOdometry, battery_volts, decode_odometry, wheel_travel
from fleet.actuation.chassis import Chassis
from fleet.actuation.wheel_response import Motion, MotionForecast
from fleet.control.tracker_config import TrackerConfig
from fleet.geometry import STILL, Pose2D, Twist2D
from fleet.localization.belief import Gains
from fleet.localization.odometer import Odometer, Odometry
from fleet.localization.pose_estimator import PoseEstimator
from fleet.localization.pose_quality import Estimate, Localization, Rejection
from fleet.localization.report_clock import ReportClock
from fleet.reason import Reason
from fleet.robots.battery import Battery, BatteryLevel
from fleet.robots.robot_status import LinkState, RobotStatus, TaskOutcome
from fleet.robots.teleoperation import Teleoperation
from fleet.settings.config import FleetConfig, RobotConfig
from fleet.tasks.task import Task, TaskKind, TaskRequest, TaskState
from fleet.wheels.differential_drive import is_still

_CONNECTED: Final = LinkState.CONNECTED  # these are looked up once because every tick uses them
_UNKNOWN: Final = Localization.UNKNOWN
_POSE_LOST: Final = Localization.LOST
_CANCELING: Final = TaskState.CANCELING
_STOPS_ALONE_S = COMMAND_TIMEOUT_S + 0.2  # without commands a robot stands still after this, motor run-out included
_NOT_SEEN = "not seen yet"


class Robot:
    """Everything that the fleet knows about one robot, and the task that it performs.

    Parameters
    ----------
    config : the robot's part of the configuration
    fleet : the configuration that all robots share
    """

    def __init__(self, config: RobotConfig, fleet: FleetConfig) -> None:
        self.config = config
        self._fleet = fleet
        self._stale_s = fleet.link.stale_s
        self._period_s = 1.0 / fleet.rates.control_hz
        self._units = config.wheels.units
        self.chassis = Chassis(config.wheels, fleet.actuation)
        self.units_raw = (0, 0)  # the motor targets of the latest step
        self._tracker = fleet.tracker
        self._estimator = PoseEstimator(
            config.wheels.drive,
            config.initial_pose,
            bool(config.pose_topic),
            fleet.localization,
            fleet.actuation.learns_gains,
        )
        self._odometer = Odometer(config.wheels.axle_length_m) if fleet.driver.publish.needs_odometry else None
        self._teleoperation = Teleoperation(fleet.driver.cmd_vel_timeout_s)
        self._battery = Battery(fleet.battery)
        self._task: Task | None = None
        self._last_outcome: TaskOutcome | None = None
        self._reason: Reason | None = None
        self._is_ready = False
        self._link_text = _NOT_SEEN
        self._odometry: WheelOdometry | None = None
        self._clock = ReportClock()
        self._read_ns: int | None = None  # when the latest reported wheels were read
        self._reported_ns: int | None = None  # when that report arrived
        self._unreachable_ns: int | None = None
        self._unattended_ns: int | None = None  # since when no client could cancel the task
        self._canceled_ns = 0
        self._is_stopped = False

    @property
    def task_id(self) -> str:
        """Id of the assigned task, "" when idle."""
        return "" if self._task is None else self._task.request.task_id

    @property
    def is_canceling(self) -> bool:
        """Whether the assigned task is being canceled."""
        return self._task is not None and self._task.state is _CANCELING

    @property
    def estimate(self) -> Estimate | None:
        """The latest pose in the fleet's frame, None before anything was heard."""
        return self._estimator.estimate()

    @property
    def gain_stds(self) -> Gains:
        """Standard deviations of the wheels' gains."""
        return self._estimator.gain_stds

    @property
    def odometry(self) -> Odometry | None:
        """The latest wheel odometry; None before the first report, and if no driver topic needs it."""
        return None if self._odometer is None else self._odometer.latest

    def odom_in_map(self, now_ns: int) -> Pose2D | None:
        """Return the pose of the robot's odometry frame in the fleet's frame, None while unknown."""
        return None if self._has_no_pose(now_ns) else self._estimator.odom_in_map

    def localization(self, now_ns: int) -> Localization:
        """Return how well the pose is known."""
        return self._estimator.localization(now_ns)

    def link_state(self, now_ns: int) -> LinkState:
        """Return whether the robot can be reached."""
        if not self._is_ready or self._reported_ns is None:
            return LinkState.LOST
        silent_s = (now_ns - self._reported_ns) * 1e-9
        return _CONNECTED if silent_s <= self._stale_s else LinkState.STALE

    def _has_no_pose(self, now_ns: int) -> bool:
        """Whether the pose is unknown or lost."""
        localization = self.localization(now_ns)
        return localization is _UNKNOWN or localization is _POSE_LOST

    # What the robot reports

    def on_ready(self, now_ns: int) -> None:
        """Note that the robot runs our script, freshly started: its counters restart."""
        self._is_ready = True
        self._odometry = None
        self._estimator.restart_odometry(now_ns)
        self.chassis.restart(now_ns)
        self._clock.restart()
        self._read_ns = self._reported_ns = now_ns

    def on_lost(self, text: str) -> None:
        """Note that the robot is gone, or cannot run our script; `text` is for a human."""
        self._is_ready = False
        self._link_text = text

    def on_odometry(self, args: Sequence[int], stamp_ns: int) -> None:
        """Take in an odometry event's words.

        Raises
        ------
        MessageError
            They are not the words of an odometry event.
        """
        before, after = self._odometry, decode_odometry(args)
        self._odometry = after
        self._reported_ns = stamp_ns
        if before is not None:
            travel = wheel_travel(before, after, self._units)
            read_ns = self._clock.read_ns(travel.duration_s, stamp_ns)
            self._read_ns = read_ns
            self._estimator.on_wheels(travel.left_m, travel.right_m, travel.duration_s, read_ns)
            self.chassis.gains = self._estimator.gains
            self.chassis.on_wheels(travel.left_m, travel.right_m, travel.duration_s, read_ns)
            if self._odometer is not None:
                self._odometer.on_wheels(travel, self._estimator.odometry, self._estimator.twist, stamp_ns)

    def on_battery(self, vbat_raw: Sequence[int], now_ns: int) -> None:
        """Take in the two words of `_vbat`."""
        self._battery.on_voltage(battery_volts(vbat_raw), now_ns)

    def on_measured_pose(self, pose: Pose2D, stamp_ns: int, now_ns: int) -> Rejection | None:
        """Take in a pose from the pose source; return why it is not used, None if it is."""
        return self._estimator.on_pose(pose, stamp_ns, now_ns)

    def on_sent(self, units_raw: tuple[int, int], now_ns: int) -> None:
        """Record the motor targets that were sent, left and right."""
        self.chassis.on_sent(units_raw, now_ns)

    # Requests to the fleet

    def objection(self, request: TaskRequest, now_ns: int) -> Reason | None:
        """Return why this robot cannot take the task now, or None if it can."""
        if self._hindrance is not None:
            return self._hindrance
        if not self._may_report_again(now_ns):
            return Reason.ROBOT_LOST
        if self._has_no_pose(now_ns):
            return Reason.POSE_LOST
        if self._battery.level is BatteryLevel.CRITICAL and request.kind is not TaskKind.GO_HOME:
            return Reason.BATTERY_CRITICAL
        return None

    def assign(self, request: TaskRequest) -> None:
        """Start a task to which there was no objection."""
        self._teleoperation.release()
        self._task = Task(request, self._fleet.motion, self._tracker, self._fleet.tasks)
        self._reason = None
        self._unattended_ns = None

    @property
    def tracker(self) -> TrackerConfig:
        """The robot's control law and its tuning."""
        return self._tracker

    def configure_tracker(self, tracker: TrackerConfig, now_ns: int) -> None:
        """Use another control law, or other gains, from now on; a running task continues with it."""
        self._tracker = tracker
        if self._task is not None:
            self._task.configure(tracker, now_ns)

    def drive(self, twist: Twist2D, now_ns: int) -> Reason | None:
        """Drive by hand for `driver.cmd_vel_timeout_s`; return None, or why the robot refuses."""
        if self._hindrance is not None:
            return self._hindrance
        if self.link_state(now_ns) is not _CONNECTED:
            return Reason.ROBOT_LOST
        self._teleoperation.drive(twist, now_ns)
        return None

    def note_rejection(self, reason: Reason) -> None:
        """Remember why a goal was rejected, for status; the running task is not touched."""
        self._reason = reason

    def cancel(self, task_id: str, now_ns: int) -> bool:
        """Start to cancel the task if it is the assigned one; return whether it is."""
        if self._task is None or self._task.request.task_id != task_id:
            return False
        self._task.cancel()
        self._canceled_ns = now_ns
        return True

    def attend(self, is_attended: bool, now_ns: int) -> None:
        """Note whether a client that could cancel the task is still there."""
        if is_attended:
            self._unattended_ns = None
        elif self._unattended_ns is None:
            self._unattended_ns = now_ns

    def stop(self) -> None:
        """Stop until resumed: the task is aborted, new ones are rejected."""
        self._is_stopped = True
        self.abort(Reason.STOPPED)

    def resume(self) -> None:
        """Accept tasks again."""
        self._is_stopped = False

    def abort(self, reason: Reason) -> None:
        """Abort the task, if there is one, or end driving by hand; the next step reports the task's end."""
        self._teleoperation.release()
        if self._task is not None:
            self._task.abort(reason)

    @property
    def _hindrance(self) -> Reason | None:
        """What keeps the robot from driving, by a task or by hand, even if it can be reached."""
        if self._is_stopped:
            return Reason.STOPPED
        return None if self._task is None else Reason.BUSY

    def _may_report_again(self, now_ns: int) -> bool:
        """Whether a task can start: the robot reports, or its silence is too short to end a running task."""
        if self.link_state(now_ns) is LinkState.LOST or self._reported_ns is None:
            return False
        return (now_ns - self._reported_ns) * 1e-9 <= self._fleet.link.lost_grace_s

    # The tick

    def step(self, now_ns: int) -> tuple[tuple[int, int], TaskOutcome | None]:
        """Return the current motor targets, and the outcome of the task if it just ended."""
        self.units_raw = self.chassis.units_raw(self._act(now_ns))
        return self.units_raw, self._take_outcome()

    def status(self, now_ns: int) -> RobotStatus:
        """Return a snapshot of everything that is reported about this robot."""
        task = self._task
        return RobotStatus(
            robot_id=self.config.id,
            pose_topic=self.config.pose_topic,
            link=self.link_state(now_ns),
            link_text=self._link_text,
            pose_quality=self._estimator.quality(now_ns),
            battery=self._battery.level,
            battery_percent=self._battery.percent,
            is_stopped=self._is_stopped,
            is_driven=self._teleoperation.twist(now_ns) is not None,
            task_id=self.task_id,
            task_kind=task.request.kind if task else None,
            task_state=task.state if task else None,
            progress=task.progress if task else 0.0,
            eta_s=task.eta_s if task else 0.0,
            stalled_s=task.stalled_s(now_ns) if task else 0.0,
            reason=self._reason,
            last_outcome=self._last_outcome,
            law=self._tracker.law,
            tracking_error=task.tracking_error if task else None,
            lap=task.lap if task else 0,
        )

    def _act(self, now_ns: int) -> Twist2D:
        link = self.link_state(now_ns)
        self._note_link(link, now_ns)
        if self._task is None:
            return self._act_by_hand(link, now_ns)
        if self._task.state is _CANCELING:
            if self._has_stopped(link, now_ns):
                self._task.stopped()
            return STILL
        self._abort_if_lost(link, now_ns)
        forecast = self._forecast(now_ns)
        if link is not _CONNECTED or forecast is None or self._unattended_ns is not None:
            self._task.hold(now_ns)
            return STILL
        return self._task.step(forecast, now_ns)

    def _forecast(self, now_ns: int) -> MotionForecast | None:
        """Return how the robot moves and will move; None before it is first heard or seen."""
        estimate = self._estimator.estimate()
        if estimate is None or self._read_ns is None:
            return None
        motion = Motion(estimate.pose, self._estimator.twist)
        return self.chassis.forecast(motion, self._read_ns, now_ns, self._period_s)

    def _act_by_hand(self, link: LinkState, now_ns: int) -> Twist2D:
        if link is not _CONNECTED:
            self._teleoperation.release()
        return self._teleoperation.twist(now_ns) or STILL

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
            reported = self._reported_ns is not None and self._reported_ns > self._canceled_ns
            return reported and is_still(self._estimator.twist)
        return self._unreachable_s(now_ns) > _STOPS_ALONE_S

    def _abort_if_lost(self, link: LinkState, now_ns: int) -> None:
        if link is _CONNECTED and self._has_no_pose(now_ns):
            self.abort(Reason.POSE_LOST)
        elif self._unreachable_s(now_ns) > self._fleet.link.lost_grace_s:
            self.abort(Reason.ROBOT_LOST)
        elif self._unattended_ns is not None and now_ns - self._unattended_ns > self._fleet.tasks.client_lost_s * 1e9:
            self.abort(Reason.CLIENT_LOST)

    def _take_outcome(self) -> TaskOutcome | None:
        """Return the outcome of the task and forget the task, if it has ended."""
        task = self._task
        if task is None or not task.is_ended:
            return None
        self._task = None
        self._reason = task.reason
        self._last_outcome = TaskOutcome(
            self.config.id, task.request.task_id, task.request.kind, task.state, task.reason, task.cross_track
        )
        return self._last_outcome
