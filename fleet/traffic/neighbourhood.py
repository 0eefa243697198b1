"""The robots that other drivers serve on our floor, and what drivers publish to each other about their robots."""

import math
from collections.abc import Collection
from typing import Final

from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.hosts.clock_offset import ClockOffset
from fleet.timetable.shared_ways import KnownWays, SharedWays
from fleet.traffic.agreement import Agreement
from fleet.traffic.neighbour import Neighbour
from fleet.traffic.own_ways import OwnRobot, OwnWays
from fleet.traffic.sweep import Sweep
from fleet.traffic.traffic import Traffic

_MOVED_M: Final = 0.01  # stationary robots are entered again when they have moved this far
_UNSURE_M: Final = 0.05  # ... and when they may have moved this much farther
_SHIFT_S: Final = 0.1  # late ways are entered again when they are this late
_AGAIN_S: Final = 1.0  # robots still waiting for their ways are entered again this often
_SHARE_S: Final = 0.1  # ways are published at most this often
_KNOWN_S: Final = 0.5  # what we know is published at least this often
_FASTEST_MPS: Final = 0.2  # of a Thymio whose driver publishes no speed
_STOP_S: Final = 0.2  # of a Thymio whose driver publishes no stopping time


class OwnLimits:
    """The limits of our robots' motion, for other drivers.

    Parameters
    ----------
    radius_m : radius of the disc that is kept free around each axle
    speed_mps : top speed of a robot
    stop_s : how long a robot drives on at most after a stop command
    """

    def __init__(self, radius_m: float, speed_mps: float, stop_s: float) -> None:
        self.radius_m: Final = radius_m
        self.speed_mps: Final = speed_mps
        self.stop_s: Final = stop_s


class _Entered:
    """A neighbour as entered in the timetable."""

    def __init__(self, neighbour: Neighbour, now_s: float) -> None:
        self.is_silent: Final = neighbour.is_silent(now_s)
        self.is_driving: Final = neighbour.is_driving and not self.is_silent
        self.delay_s: Final = neighbour.delay_s
        self.place: Final = neighbour.pose
        self.entered_s: Final = now_s
        self.is_leaving: Final = neighbour.is_leaving(now_s)
        self.unsure_m: Final = neighbour.unsure_m(now_s)

    def is_unlike(self, before: "_Entered") -> bool:
        """Whether the robot now does something else, or is stationary elsewhere."""
        if self.is_driving != before.is_driving or self.is_silent != before.is_silent:
            return True
        if self.is_driving or self.is_silent:
            return False
        if self.is_leaving != before.is_leaving or (self.is_leaving and self.entered_s > before.entered_s + _AGAIN_S):
            return True
        if abs(self.unsure_m - before.unsure_m) > _UNSURE_M:
            return True
        place, stood = self.place, before.place
        if place is None or stood is None:
            return place is not stood
        return place.distance_to(stood) > _MOVED_M


class Neighbourhood:
    """Enters what other drivers publish about their robots, and what is seen of them, in our traffic; shares our ways.

    Parameters
    ----------
    traffic : our own traffic
    driver : our own identity
    own : how our robots move
    silent_s : of two drivers that do not hear each other, the first does without the other after this time
    forget_s : robots not seen and drivers not heard for this long are forgotten; 0 is never
    """

    def __init__(self, traffic: Traffic, driver: DriverId, own: OwnLimits, silent_s: float, forget_s: float) -> None:
        self.driver: Final = driver
        self._traffic: Final = traffic
        self._own: Final = own
        self._silent_s: Final = silent_s
        self._forget_s: Final = forget_s if forget_s > 0.0 else math.inf
        self._agreement: Final = Agreement(driver, silent_s)
        self._own_ways: Final = OwnWays()
        self._neighbours: dict[int, Neighbour] = {}
        self._entered: dict[int, _Entered] = {}
        self._own_ids: Collection[int] = ()
        self._new: set[int] = set()  # robots with newly published ways
        self._latest: dict[str, SharedWays] = {}  # by the tokens of other drivers
        self._clocks: dict[str, ClockOffset] = {}  # of other drivers, by their tokens
        self._shared_s = -math.inf
        self._known_s = -math.inf
        self._knows_news = False
        traffic.agreement = self._agreement

    # What others publish, and what is seen

    @property
    def robot_ids(self) -> list[int]:
        """The robots of other drivers."""
        return list(self._neighbours)

    def receive_ways(self, shared: SharedWays, now_ns: int) -> None:
        """Note the ways that a driver publishes; our own arrive as well."""
        token = shared.driver.token
        if token == self.driver.token:
            return
        self._knows_news = self._agreement.note_ways(shared, now_ns * 1e-9) or self._knows_news
        self._clocks.setdefault(token, ClockOffset()).note(shared.stamp_ns, now_ns)
        told = {way.robot_id for way in shared.ways}
        for robot_id, neighbour in self._neighbours.items():
            if neighbour.driver is not None and neighbour.driver.token == token and robot_id not in told:
                self._new.add(robot_id)
                neighbour.leave_way()
        self._note_ways(shared, now_ns)
        if shared.is_leaving:
            self._latest.pop(token, None)
        else:
            self._latest[token] = shared

    def receive_known(self, known: KnownWays, now_ns: int) -> None:
        """Note which of our ways a driver knows."""
        self._agreement.note_known(known, now_ns * 1e-9)
        clock = self._clocks.get(known.driver.token)
        if clock is not None:
            clock.note(known.stamp_ns, now_ns)

    def see(self, robot_id: int, pose: Pose2D, stamp_ns: int, now_ns: int) -> None:
        """Note the pose of a robot that another driver serves, stamped by that driver's clock."""
        if robot_id in self._own_ids:
            return
        neighbour = self._neighbours.get(robot_id)
        if neighbour is None:
            neighbour = self._neighbours[robot_id] = Neighbour(robot_id, None, _FASTEST_MPS, _STOP_S)
        clock = None if neighbour.driver is None else self._clocks.get(neighbour.driver.token)
        seen_ns = now_ns
        if clock is not None and stamp_ns:
            clock.note(stamp_ns, now_ns)
            seen_ns = min(now_ns, stamp_ns + (clock.offset_ns or 0))
        neighbour.see(pose, seen_ns * 1e-9)

    def adopt(self, robot_id: int, pose: Pose2D) -> None:
        """Keep a robot that we no longer serve on the floor, until its new driver publishes it."""
        neighbour = Neighbour(robot_id, None, _FASTEST_MPS, _STOP_S)
        neighbour.stand(pose)
        self._neighbours[robot_id] = neighbour
        self._new.add(robot_id)

    def forget_driver(self, token: str) -> None:
        """Drop a driver known to have ended without signing off; its robots stay where they may be."""
        self._agreement.drop(token)
        self._latest.pop(token, None)

    # The tick

    def advance(self, own_robots: dict[int, OwnRobot], now_ns: int) -> None:
        """Enter changes of neighbours in our traffic, and note the state of our robots."""
        now_s = now_ns * 1e-9
        self._own_ways.note(own_robots, now_ns)
        were_ours, self._own_ids = self._own_ids, list(own_robots)
        if any(robot_id not in own_robots for robot_id in were_ours):
            for shared in self._latest.values():
                self._note_ways(shared, now_ns)
        for robot_id in [robot_id for robot_id in self._neighbours if robot_id in own_robots]:
            self._forget(robot_id, is_ours=True)
        self._forget_silent(now_s)
        for robot_id, neighbour in self._neighbours.items():
            self._retime(neighbour)
            self._enter(robot_id, neighbour, now_s)
        self._new.clear()

    def sweeps(self, now_s: float) -> dict[int, Sweep]:
        """Return the floor that the robots of other drivers may cover."""
        found: dict[int, Sweep] = {}
        for robot_id, neighbour in self._neighbours.items():
            sweep = neighbour.sweep(now_s)
            if sweep is not None:
                found[robot_id] = sweep
        return found

    # What we publish

    def ways_to_share(self, now_ns: int, stamp_ns: int) -> SharedWays | None:
        """Return the ways of our robots to publish now; None if nothing has changed or the last were too recent.

        `stamp_ns` is now by the clock that stamps messages.
        """
        if not self._own_ways.has_changed or now_ns * 1e-9 - self._shared_s < _SHARE_S:
            return None
        self._shared_s = now_ns * 1e-9
        shared = self._share(now_ns, stamp_ns, is_leaving=False)
        self._agreement.publish(shared.number, self._own_ways.states, self._shared_s)
        return shared

    def last_ways(self, now_ns: int, stamp_ns: int) -> SharedWays:
        """Return the message to publish when our driver ends."""
        return self._share(now_ns, stamp_ns, is_leaving=True)

    def known_to_share(self, now_ns: int, stamp_ns: int) -> KnownWays | None:
        """Return the confirmation of the ways that we know; None while it is not due, or without other drivers."""
        now_s = now_ns * 1e-9
        if not self._agreement.is_needed or (not self._knows_news and now_s - self._known_s < _KNOWN_S):
            return None
        self._knows_news, self._known_s = False, now_s
        return KnownWays(self.driver, stamp_ns, self._agreement.numbers)

    # Words

    def hosts(self, robot_ids: Collection[int]) -> dict[int, str]:
        """Return the hosts of robots, for those that other drivers serve."""
        neighbours = {robot_id: self._neighbours.get(robot_id) for robot_id in robot_ids}
        return {
            robot_id: "unknown" if neighbour.driver is None else neighbour.driver.host
            for robot_id, neighbour in neighbours.items()
            if neighbour is not None
        }

    def words(self, robot_id: int, now_s: float) -> str:
        """Return a text that names another driver's robot, and what it does."""
        neighbour = self._neighbours[robot_id]
        host = "another driver" if neighbour.driver is None else f"host {neighbour.driver.host}"
        return f"robot {robot_id} of {host}, {neighbour.activity(now_s)}"

    @property
    def clock_offsets_ns(self) -> dict[DriverId, int]:
        """The offsets to add to other drivers' stamps to convert them to our core's clock."""
        found: dict[DriverId, int] = {}
        for token, shared in self._latest.items():
            offset_ns = self._clocks[token].offset_ns
            if offset_ns is not None:
                found[shared.driver] = offset_ns
        return found

    def unheard(self, now_s: float) -> str:
        """Return a text that names the hosts that do not answer."""
        hosts = [f"host {driver.host}, which does not answer" for driver in self._agreement.unheard(now_s)]
        return "; ".join(hosts)

    def _share(self, now_ns: int, stamp_ns: int, *, is_leaving: bool) -> SharedWays:
        ways = self._own_ways.publish(now_ns, stamp_ns)
        own = self._own
        return SharedWays(
            self.driver, self._own_ways.number, stamp_ns, own.radius_m, own.speed_mps, own.stop_s, ways, is_leaving
        )

    def _note_ways(self, shared: SharedWays, now_ns: int) -> None:
        """Note a driver's published ways of the robots that we do not serve."""
        wide_m = max(0.0, shared.radius_m - self._own.radius_m)
        for way in shared.ways:
            if way.robot_id in self._own_ids:
                continue
            neighbour = self._neighbours.setdefault(
                way.robot_id, Neighbour(way.robot_id, shared.driver, shared.speed_mps, shared.stop_s)
            )
            neighbour.note_driver(shared, wide_m)
            if neighbour.tell(way, now_ns * 1e-9):
                self._new.add(way.robot_id)
            if shared.is_leaving:
                neighbour.leave_way()

    def _enter(self, robot_id: int, neighbour: Neighbour, now_s: float) -> None:
        """Enter a robot in our traffic, if something has changed."""
        before, now = self._entered.get(robot_id), _Entered(neighbour, now_s)
        if before is None or robot_id in self._new or now.is_unlike(before):
            self._entered[robot_id] = now
            motions = neighbour.motions(now_s)
            self._traffic.enter_neighbour(robot_id, motions, neighbour if now.is_driving else None)
            if now.is_driving and neighbour.shared is not None:
                self._settle(robot_id, neighbour.shared.asked_ns)
        elif now.is_driving and abs(now.delay_s - before.delay_s) > _SHIFT_S:
            self._entered[robot_id] = now
            self._traffic.shift_neighbour(robot_id, neighbour.motions(now_s))

    def _settle(self, robot_id: int, asked_ns: int) -> None:
        """Have our robots plan again whose ways meet a neighbour's new way and were asked for later."""
        for own_id in self._traffic.met_by(robot_id):
            own_ns = self._own_ways.asked_ns(own_id)
            if own_ns is None or (own_ns, own_id) > (asked_ns, robot_id):
                self._traffic.make_obsolete(own_id)

    def _retime(self, neighbour: Neighbour) -> None:
        """Update the start of a neighbour's way on our clock, as far as known now."""
        if neighbour.shared is not None and neighbour.driver is not None:
            offset_ns = self._clocks[neighbour.driver.token].offset_ns or 0
            if neighbour.retime((neighbour.shared.start_ns + offset_ns) * 1e-9):
                self._new.add(neighbour.robot_id)

    def _forget_silent(self, now_s: float) -> None:
        """Forget drivers whose robots others have taken over, and whatever was not seen or heard for `forget_s`."""
        served = {neighbour.driver.token for neighbour in self._neighbours.values() if neighbour.driver is not None}
        for token in self._agreement.numbers:
            silence_s = now_s - self._agreement.heard_s(token)
            if silence_s > (self._forget_s if token in served else self._silent_s):
                self.forget_driver(token)
        for robot_id, neighbour in list(self._neighbours.items()):
            heard_s = -math.inf if neighbour.driver is None else self._agreement.heard_s(neighbour.driver.token)
            if now_s - max(heard_s, neighbour.noted_s) > self._forget_s:
                self._forget(robot_id, is_ours=False)

    def _forget(self, robot_id: int, *, is_ours: bool) -> None:
        """Forget a robot; our traffic forgets it too, unless we serve it now."""
        del self._neighbours[robot_id]
        self._entered.pop(robot_id, None)
        self._traffic.remove_neighbour(robot_id, is_ours=is_ours)
