"""One robot's reports since the start of a stage, and its measured poses."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from aseba_link.errors import MessageError
from aseba_link.thymio.events import MOTOR_PERIOD_S, Event, WheelOdometry, decode_odometry, wheel_counts
from aseba_link.thymio.hand_request import GUARD, PONG
from fleet.geometry import Pose2D

TICKS_WRAP = 0x10000
BUTTON_EVENTS = {  # in the order of `Event.BUTTONS`
    "backward": Event.BUTTON_BACKWARD,
    "left": Event.BUTTON_LEFT,
    "center": Event.BUTTON_CENTER,
    "forward": Event.BUTTON_FORWARD,
    "right": Event.BUTTON_RIGHT,
}


@dataclass(frozen=True, slots=True)
class WheelSample:
    """Sums since the robot's first report: ticks of its clock, counts of the left and right wheel."""

    stamp_ns: int
    ticks: int
    left: int
    right: int


@dataclass(slots=True)
class BringupRecord:
    """Reports of one robot, each with the instant of its arrival."""

    wheels: list[WheelSample] = field(default_factory=list)
    sensors: dict[int, list[tuple[int, tuple[int, ...]]]] = field(default_factory=dict)  # by event
    pongs: list[tuple[int, int]] = field(default_factory=list)  # arrival, number
    guards: list[tuple[int, ...]] = field(default_factory=list)
    poses: list[tuple[int, Pose2D]] = field(default_factory=list)
    commands: list[tuple[int, int, int]] = field(default_factory=list)  # instant, targets; those that differ alone
    odometry: WheelOdometry | None = None

    def clear(self) -> None:
        """Forget everything but the latest counters."""
        last = self.wheels[-1:]
        self.wheels = [WheelSample(sample.stamp_ns, 0, 0, 0) for sample in last]
        self.sensors.clear()
        self.pongs.clear()
        self.guards.clear()
        self.poses.clear()
        self.commands = self.commands[-1:]

    def add(self, rank: int, args: Sequence[int], stamp_ns: int) -> None:
        """Note an event of the robot; malformed odometry is ignored."""
        if rank == Event.ODOMETRY:
            self._add_odometry(args, stamp_ns)
        elif rank == PONG and args:
            self.pongs.append((stamp_ns, args[0]))
        elif rank == GUARD:
            self.guards.append(tuple(args))
        else:
            self.sensors.setdefault(rank, []).append((stamp_ns, tuple(args)))

    def note_command(self, stamp_ns: int, left_raw: int, right_raw: int) -> None:
        """Note a command of wheel targets, unless it repeats the one before."""
        if not self.commands or self.commands[-1][1:] != (left_raw, right_raw):
            self.commands.append((stamp_ns, left_raw, right_raw))

    @property
    def delay_s(self) -> float:
        """Delay of the latest wheel report relative to the previous one, by the robot's clock."""
        if len(self.wheels) < 2:
            return 0.0
        before, after = self.wheels[-2:]
        return 1e-9 * (after.stamp_ns - before.stamp_ns) - MOTOR_PERIOD_S * (after.ticks - before.ticks)

    def latest(self, event: Event) -> tuple[int, ...]:
        """Return the words of the latest report of a sensor; () if there is none."""
        reports = self.sensors.get(event)
        return reports[-1][1] if reports else ()

    def values(self, event: Event, since_ns: int = 0) -> list[tuple[int, ...]]:
        """Return the words of all reports of a sensor since an instant."""
        return [words for stamp_ns, words in self.sensors.get(event, []) if stamp_ns >= since_ns]

    def _add_odometry(self, args: Sequence[int], stamp_ns: int) -> None:
        try:
            odometry = decode_odometry(args)
        except MessageError:
            return
        before = self.odometry
        self.odometry = odometry
        if before is None or not self.wheels:
            self.wheels.append(WheelSample(stamp_ns, 0, 0, 0))
            return
        last = self.wheels[-1]
        left, right = wheel_counts(before, odometry)
        ticks = (odometry.ticks_raw - before.ticks_raw) % TICKS_WRAP
        self.wheels.append(WheelSample(stamp_ns, last.ticks + ticks, last.left + left, last.right + right))
