"""What drivers on the same floor publish to each other: their robots' ways, and which of the others' ways they know."""

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
    start_ns : the time of the first knot, on the clock of the robot's driver
    knots : where it is when; afterwards it stays at the last. A robot without a way has a single knot
    asked_ns : when it asked for its way, on the same clock
    is_roaming : whether it moves without a way, being teleoperated or still rolling
    is_lost : whether its driver cannot reach it; it may be anywhere on its way
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
    driver : the driver's identity
    number : grows with every change
    stamp_ns : when they are sent, by the driver's clock
    radius_m : radius of the disc that is kept free around each axle
    speed_mps : top speed of its robots
    stop_s : how long a robot drives on at most after a stop command
    ways : the ways of its robots
    is_leaving : whether the driver ends: its robots are stationary from now on
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
    """A driver's confirmation of other drivers' ways.

    Parameters
    ----------
    driver : the driver's identity
    stamp_ns : when this is sent, by the driver's clock
    numbers : numbers of the latest ways that it knows, by the token of their driver
    """

    driver: DriverId
    stamp_ns: int
    numbers: Mapping[str, int] = field(default_factory=dict)
