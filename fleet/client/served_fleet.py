"""Tracks which robots are served: those that drivers announce, and those of servers that announce nothing."""

import time
from collections.abc import Callable, Sequence
from operator import methodcaller

from thymio_fleet_interfaces.msg import Driver

from fleet.client.graph_client import GraphClient
from fleet.client.local_fleet import LocalFleet
from fleet.errors import HOW_TO_START, NoServerError, NotServedError
from fleet.hosts.claims import Announcement, DriverId
from fleet.interface.announcements import announcement_from_ros
from fleet.interface.graph import ForeignRobots
from fleet.interface.names import DRIVERS_TOPIC
from fleet.interface.quality import DRIVERS_READER_QOS
from thymio_base.parts import Parts

_SILENT_S = 5.0  # drivers announce themselves once a second
_HEARD_S = 0.3  # Fast DDS sends its first announcements every 0.1 s, and programs that hear one answer at once
_CERTAIN_S = 1.0  # before a robot is said not to be served
_QUERY_S = 0.05  # between two queries of the whole graph
_FOREIGN_S = 1.0  # servers that announce nothing are found one after the other
_UNMET_S = 20.0  # longest wait for the first announcement of a driver on the graph, on a very busy machine
_CHECK_S = 0.05  # limit of the time counted for one check of the graph: a suspended process hears nothing


class ServedFleet:
    """The robots on the graph and their drivers, observed since its creation.

    Parameters
    ----------
    client : receives the announcements while it spins
    clock : monotonic time [s]

    Attributes
    ----------
    local : answers of the drivers of this host
    """

    def __init__(self, client: GraphClient, clock: Callable[[], float] = time.monotonic) -> None:
        self.local = LocalFleet()
        self._client = client
        self._node = client.node
        self._received: dict[str, tuple[float, Announcement]] = {}  # by token, with the time of reception [s]
        self._ended: set[str] = set()  # the tokens of drivers that have left
        self._clock = clock
        self._checked_s = clock()
        self._listened_s = self._quiet_s = 0.0  # since the creation, and since the last change of the graph
        self._seen: object = None
        self._foreign_robots = ForeignRobots(self._node, _QUERY_S)
        self._node.create_subscription(Driver, DRIVERS_TOPIC, self._on_driver, DRIVERS_READER_QOS)

    @property
    def announcements(self) -> list[Announcement]:
        """The drivers' recent announcements, the latest first; a driver that is cut off no longer announces itself."""
        oldest_s = self._clock() - _SILENT_S
        return [announcement for received_s, announcement in self._latest_first() if received_s >= oldest_s]

    @property
    def last_announcements(self) -> list[Announcement]:
        """The last announcement of each driver that has not announced its end, the latest first, however old it is."""
        return [announcement for _, announcement in self._latest_first()]

    def driver(self, robot_id: int) -> DriverId | None:
        """Return the driver that serves a robot; None for a server that is not ours, or before any announcement."""
        serving = (announcement.driver for announcement in self.announcements if robot_id in announcement.serves)
        return next(serving, None)

    def waiting(self, robot_id: int) -> list[DriverId]:
        """Return the drivers that are configured to serve a robot but do not, because another driver does."""
        return [announcement.driver for announcement in self.announcements if robot_id in announcement.waits_for]

    def foreign_ids(self) -> list[int]:
        """Return the robots whose server announces nothing; a robot with clients alone does not count."""
        return self._foreign_robots.ids(self._announced(), time.monotonic())

    def robot_ids(self) -> list[int]:
        """Return the robots that are served now."""
        served = {robot_id for announcement in self.announcements for robot_id in announcement.serves}
        return sorted(served.union(self.foreign_ids()))

    def expected_ids(self) -> list[int]:
        """Return the robots that are served, or that a driver will serve once it knows that no other driver does."""
        return sorted(self._announced().union(self.foreign_ids()))

    def met_ids(self) -> list[int]:
        """Return the robots of all servers found since the creation, except those of drivers that have left."""
        claimed = {robot_id for announcement in self.last_announcements for robot_id in announcement.claimed}
        return sorted(claimed.union(self.foreign_ids()))

    def has_unmet_driver(self) -> bool:
        """Whether a driver on the graph has not announced itself since the creation."""
        return bool(self._node.count_publishers(DRIVERS_TOPIC) > len(self._met()))

    def is_complete(self, quiet_s: float = _HEARD_S) -> bool:
        """Whether every driver on the graph, or known to an announced driver, has announced itself.

        Drivers that do not know each other yet are found while the graph, which is checked repeatedly, stays unchanged
        for `quiet_s`. If the drivers of this host know all others, their answers count as announcements, and nothing
        else has to be found.
        """
        announcements = self.announcements
        foreign, publishers = self.foreign_ids(), self._node.count_publishers(DRIVERS_TOPIC)
        seen = (foreign, publishers, sorted(announcement.driver.token for announcement in announcements))
        self._listen(is_changed=seen != self._seen)
        self._seen = seen
        if not announcements and not foreign:
            return False
        least_s = 0.0 if self.local.is_settled else max(quiet_s, _FOREIGN_S if foreign else 0.0)
        is_heard = len(self._heard(announcements)) >= publishers and not self._unheard(announcements)
        is_heard = is_heard and self.local.missing_ids <= set(self.expected_ids())
        # drivers remember a killed driver for some time
        is_over = self._listened_s >= (_UNMET_S if publishers > len(self._met()) else _SILENT_S)
        return (is_heard or is_over) and self._quiet_s >= least_s

    def has_silent_driver(self) -> bool:
        """Whether a running driver of this host has neither answered nor announced itself."""
        return bool(self._unheard(self.announcements) & self.local.silent)

    def reach(self, robot_id: int, is_ready: Callable[[], bool], server: str, timeout_s: float) -> None:
        """Wait until a server of a robot is ready, or until it is certain that the robot has none.

        Raises
        ------
        NoServerError
            There is none; the message names the robots that are served.
        """
        self._client.finish(self.reach_in_parts(robot_id, is_ready, server, timeout_s))

    def reach_in_parts(self, robot_id: int, is_ready: Callable[[], bool], server: str, timeout_s: float) -> Parts[None]:
        """Wait for a server of a robot, as `reach` does.

        Raises
        ------
        NoServerError
            There is none; the message names the robots that are served.
        """
        may_serve = methodcaller("may_serve", robot_id)
        yield from self._client.served_in_parts(lambda: is_ready() or self._lacks(robot_id), timeout_s, may_serve)
        if is_ready():
            return
        robot_ids = self.expected_ids()
        if not robot_ids or robot_id in robot_ids:
            raise NoServerError(f"no server for {server}; {HOW_TO_START}")
        raise NotServedError(robot_id, robot_ids)

    def _listen(self, *, is_changed: bool) -> None:
        """Count the time since the last check."""
        now_s = self._clock()
        passed_s, self._checked_s = min(now_s - self._checked_s, _CHECK_S), now_s
        self._listened_s += passed_s
        self._quiet_s = 0.0 if is_changed else self._quiet_s + passed_s

    def _met(self) -> set[str]:
        """Return the tokens of drivers that have ever announced themselves."""
        answered = self.local.answered if self.local.is_settled else frozenset()
        return {*self._received, *self._ended, *answered}

    def _latest_first(self) -> list[tuple[float, Announcement]]:
        return sorted(self._received.values(), key=lambda received: -received[0])

    def _unheard(self, announcements: Sequence[Announcement]) -> frozenset[str]:
        """Return the tokens of drivers that run, or that others know, and that have not announced themselves."""
        local = self.local
        known = local.answered.union(local.known, local.silent, *(one.knows for one in announcements))
        return known - self._heard(announcements) - self._ended

    def _heard(self, announcements: Sequence[Announcement]) -> set[str]:
        """Return the tokens of drivers whose robots are known."""
        answered = self.local.answered if self.local.is_settled else frozenset()
        return {announcement.driver.token for announcement in announcements}.union(answered)

    def _lacks(self, robot_id: int) -> bool:
        return self.is_complete(_CERTAIN_S) and robot_id not in self.expected_ids()

    def _announced(self) -> set[int]:
        return {robot_id for announcement in self.announcements for robot_id in announcement.claimed}

    def _on_driver(self, message: Driver) -> None:
        announcement = announcement_from_ros(message)
        if announcement.claimed:
            self._received[announcement.driver.token] = self._clock(), announcement
        else:
            self._received.pop(announcement.driver.token, None)
            self._ended.add(announcement.driver.token)
