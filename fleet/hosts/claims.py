"""Decides which driver serves which robot when drivers on several hosts form one fleet.

Every driver announces the robots that it serves or waits for, and decides by itself from these announcements. The order
of claims on a robot is the same for all drivers, so that they all reach the same result.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from fleet.hosts.stop_state import StopState

_LONGEST_STEP_NS = 200_000_000  # twice the usual time between two calls of `advance`


@dataclass(frozen=True, slots=True)
class DriverId:
    """One run of a driver; `host` and `node` are human-readable, `token` distinguishes it from every other run."""

    host: str
    node: str
    token: str

    def __str__(self) -> str:
        return f"host {self.host} (node {self.node})"


@dataclass(frozen=True, slots=True)
class Announcement:
    """A driver's announcement to the other drivers.

    Parameters
    ----------
    driver : its identity
    started_ns : when it started, by the system clock of its host
    serves : the robots that it serves, each with the start of its service by the same clock
    waits_for : robots that it would serve if no other driver did
    stop_state : the stops that it knows of
    knows : the tokens of the other drivers that it knows
    jobs : its role in giving jobs: "active", "standby", or "" for none
    tasks : ids of the tasks that its robots perform
    """

    driver: DriverId
    started_ns: int
    serves: Mapping[int, int] = field(default_factory=dict)
    waits_for: Sequence[int] = ()
    stop_state: StopState = field(default_factory=StopState)
    knows: Sequence[str] = ()
    jobs: str = ""
    tasks: Sequence[str] = ()

    @property
    def claimed(self) -> Sequence[int]:
        """The robots that it serves or waits for."""
        return (*self.serves, *self.waits_for)


class ClaimState(Enum):
    """A driver's relation to a robot of its configuration."""

    LISTENING = auto()  # it has just started, and may not know all other drivers yet
    SERVING = auto()  # it serves the robot
    WAITING = auto()  # another driver serves the robot, or will


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A change: a driver starts to serve a robot, or leaves it to another driver."""

    robot_id: int
    state: ClaimState
    other: DriverId | None = None


@dataclass(frozen=True, order=True, slots=True)
class _Claim:
    """One driver's claim on a robot; the smaller of two claims holds."""

    is_waiting: bool  # a driver that serves the robot takes precedence over one that waits for it
    since_ns: int  # then the older claim
    host: str  # the rest orders claims of the same nanosecond
    node: str
    token: str


@dataclass(slots=True)
class _Other:
    """Another driver's latest announcement, and when it was received."""

    announcement: Announcement
    received_ns: int  # in listening time


class Claims:
    """The claims of one driver, and those announced by others.

    Parameters
    ----------
    driver : the driver that makes the claims
    robot_ids : the robots that it is configured to serve
    started_ns : when it started, by the system clock
    listen_s : how long it listens before it serves any robot
    silent_s : silence after which another driver counts as ended, even an undiscovered one
    """

    def __init__(
        self, driver: DriverId, robot_ids: Sequence[int], started_ns: int, *, listen_s: float, silent_s: float
    ) -> None:
        self.driver = driver
        self.stop_state = StopState()
        self.jobs = ""  # its part in giving jobs to robots, see `Announcement`
        self.tasks: Sequence[str] = ()  # ids of the tasks that its robots perform
        self._started_ns = started_ns
        self._listen_ns = round(listen_s * 1e9)
        self._silent_ns = round(silent_s * 1e9)
        self._states = dict.fromkeys(robot_ids, ClaimState.LISTENING)
        self._since_ns: dict[int, int] = {}
        self._others: dict[str, _Other] = {}
        self._advanced_ns: int | None = None
        self._listened_ns = 0

    @property
    def announcement(self) -> Announcement:
        """The current announcement to other drivers."""
        return Announcement(
            self.driver,
            self._started_ns,
            dict(self._since_ns),
            [robot_id for robot_id, state in self._states.items() if state is not ClaimState.SERVING],
            self.stop_state,
            tuple(self._others),
            self.jobs,
            self.tasks,
        )

    @property
    def withdrawal(self) -> Announcement:
        """The announcement at shutdown: this driver claims nothing more."""
        return Announcement(self.driver, self._started_ns, stop_state=self.stop_state)

    @property
    def others(self) -> list[Announcement]:
        """The latest announcements of the other drivers, ordered by host and node."""
        announcements = (other.announcement for other in self._others.values())
        return sorted(announcements, key=lambda one: (one.driver.host, one.driver.node, one.driver.token))

    @property
    def is_new(self) -> bool:
        """Whether there may be drivers that it has not discovered yet."""
        return self._listened_ns < self._silent_ns

    def serves(self, robot_id: int) -> bool:
        """Whether the driver serves a robot now."""
        return self._states[robot_id] is ClaimState.SERVING

    def performer_elsewhere(self, task_id: str) -> DriverId | None:
        """Return the other driver that announces a task with this id; None without one."""
        return next((other.driver for other in self.others if task_id in other.tasks), None)

    def receive(self, announcement: Announcement) -> None:
        """Process a driver's announcement; our own arrive as well."""
        token = announcement.driver.token
        if token in ("", self.driver.token):  # drivers without a token are indistinguishable
            return
        ours = self.driver.token  # only we know how many stops were requested from us
        known = announcement.stop_state.capped(ours, self.stop_state.stops.get(ours, 0))
        self.stop_state = self.stop_state.merged_with(known)
        if announcement.claimed:
            self._others[token] = _Other(announcement, self._listened_ns)
        else:
            self._others.pop(token, None)

    def forget(self, token: str) -> None:
        """Forget another driver that is known to have ended without a message."""
        self._others.pop(token, None)

    def stop(self) -> None:
        """Stop the robots of all drivers."""
        self.stop_state = self.stop_state.after_stop(self.driver.token)

    def resume(self) -> None:
        """Revoke every known stop."""
        self.stop_state = self.stop_state.after_resume()

    def advance(self, now_ns: int, system_ns: int, reporting: Collection[int] = ()) -> list[ClaimChange]:
        """Decide again about every robot; return the changes, in the order of the configuration.

        Robots that are `reporting` without an announced driver may have one that is discovered late; we listen longer
        before we serve them.
        """
        if self._advanced_ns is not None:  # time in which a busy driver did not listen does not count
            self._listened_ns += min(now_ns - self._advanced_ns, _LONGEST_STEP_NS)
        self._advanced_ns = now_ns
        self._forget_silent()
        if self._listened_ns < self._listen_ns:
            return []
        early = reporting if self.is_new else ()
        return [change for robot_id in self._states for change in self._decide(robot_id, system_ns, robot_id in early)]

    def _forget_silent(self) -> None:
        for token, other in list(self._others.items()):
            if self._listened_ns - other.received_ns > self._silent_ns:
                del self._others[token]

    def _decide(self, robot_id: int, system_ns: int, is_early: bool) -> Iterator[ClaimChange]:
        best = min(self._rivals(robot_id), default=None)
        if best is None and is_early and self._states[robot_id] is ClaimState.LISTENING:
            return
        state = ClaimState.SERVING if best is None or self._own(robot_id) < best else ClaimState.WAITING
        if state is self._states[robot_id]:
            return
        self._states[robot_id] = state
        if state is ClaimState.SERVING:
            self._since_ns[robot_id] = system_ns
        else:
            self._since_ns.pop(robot_id, None)
        other = None if best is None else self._others[best.token].announcement.driver
        yield ClaimChange(robot_id, state, None if state is ClaimState.SERVING else other)

    def _own(self, robot_id: int) -> _Claim:
        return _claim(self._since_ns.get(robot_id), self._started_ns, self.driver)

    def _rivals(self, robot_id: int) -> Iterator[_Claim]:
        for other in self._others.values():
            claims = other.announcement
            if robot_id in claims.serves or robot_id in claims.waits_for:
                yield _claim(claims.serves.get(robot_id), claims.started_ns, claims.driver)


def _claim(since_ns: int | None, started_ns: int, driver: DriverId) -> _Claim:
    stamp_ns = started_ns if since_ns is None else since_ns
    return _Claim(since_ns is None, stamp_ns, driver.host, driver.node, driver.token)
