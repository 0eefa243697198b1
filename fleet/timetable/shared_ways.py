"""What drivers on one floor tell each other about their robots: ways, and which of the others' ways they know."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fleet.hosts.claims import DriverId
from fleet.timetable.knots import Knot


@dataclass(frozen=True, slots=True)
class SharedWay:
    """Where one robot is and will be.

    Parameters
    ----------
    robot_id : the robot
    version : grows with every change of this robot's way
    start_ns : the time of the first knot, by the clock of the robot's driver
    knots : where it is when; afterwards it stands at the last one. A robot without a way has one knot
    asked_ns : when it asked for its way, by the same clock
    is_roaming : whether it moves without a way: it is teleoperated, or still rolls
    is_lost : whether its driver cannot reach it; it may then be anywhere on its way
    is_asking : whether it has asked for a way, and will leave its place
    """

    robot_id: int
    version: int
    start_ns: int
    knots: tuple[Knot, ...]
    asked_ns: int = 0
    is_roaming: bool = False
    is_lost: bool = False
    is_asking: bool = False


@dataclass(frozen=True, slots=True)
class SharedWays:
    """The ways of all robots of one driver.

    Parameters
    ----------
    driver : its identity
    number : grows with every change
    stamp_ns : when they are sent, by the driver's clock
    radius_m : of the disc that is kept free around each axle
    speed_mps : how fast its robots drive at most
    stop_s : for how long a robot that is told to stop drives on, at most
    ways : of its robots
    is_leaving : whether the driver ends: its robots stand from now on
    """

    driver: DriverId
    number: int
    stamp_ns: int
    radius_m: float
    speed_mps: float
    stop_s: float
    ways: tuple[SharedWay, ...] = ()
    is_leaving: bool = False


@dataclass(frozen=True, slots=True)
class KnownWays:
    """Which ways of the others a driver knows.

    Parameters
    ----------
    driver : its identity
    stamp_ns : when this is sent, by the driver's clock
    numbers : of the latest ways that it knows, by the token of the driver that sent them
    """

    driver: DriverId
    stamp_ns: int
    numbers: Mapping[str, int] = field(default_factory=dict)
