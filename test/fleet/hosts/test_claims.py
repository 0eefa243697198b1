"""Which of several drivers serves a robot: the first, the second, and both after a network partition."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.hosts.claims import Claims, ClaimState, DriverId

STEP_NS = 100_000_000
LISTEN_S, SILENT_S = 0.5, 5.0


def driver(host: str, robot_ids: tuple[int, ...] = (3,), started_ns: int = 0) -> Claims:
    identity = DriverId(host, "/multi_thymio_driver", f"token of {host}")
    return Claims(identity, robot_ids, started_ns, listen_s=LISTEN_S, silent_s=SILENT_S)


@dataclass
class Hosts:
    """Drivers that receive announcements once a second and on changes, and the partitions between them."""

    drivers: list[Claims] = field(default_factory=list)
    sides: dict[Claims, int] = field(default_factory=dict)  # hosts on the same side reach each other
    now_ns: int = 0
    log: list[str] = field(default_factory=list)

    def join(self, claims: Claims) -> None:
        self.drivers.append(claims)
        self.sides[claims] = 0
        self._deliver(claims)

    def leave(self, claims: Claims) -> None:
        self.drivers.remove(claims)
        for other in self._receivers(claims):
            other.receive(claims.withdrawal)

    def crash(self, claims: Claims) -> None:
        self.drivers.remove(claims)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 1e9 / STEP_NS)):
            self.now_ns += STEP_NS
            for claims in self.drivers:
                changes = claims.advance(self.now_ns, self.now_ns)
                self.log += [f"{claims.driver.host} {change.state.name} {change.robot_id}" for change in changes]
                if changes or self.now_ns % 1_000_000_000 == 0:
                    self._deliver(claims)

    def serving(self, robot_id: int = 3) -> list[str]:
        return [claims.driver.host for claims in self.drivers if claims.serves(robot_id)]

    def _deliver(self, claims: Claims) -> None:
        for other in self._receivers(claims):
            other.receive(claims.announcement)
            claims.receive(other.announcement)  # a late joiner gets the latest announcement of each

    def _receivers(self, claims: Claims) -> list[Claims]:
        return [other for other in self.drivers if other is not claims and self.sides[other] == self.sides[claims]]


def test_robots_of_a_driver_that_is_forgotten_are_served_at_once() -> None:
    hosts, first, second = Hosts(), driver("a"), driver("b", started_ns=1)
    for claims in (first, second):
        hosts.join(claims)
    hosts.run(2.0)
    hosts.crash(first)
    second.forget(first.driver.token)
    hosts.run(0.1)
    assert hosts.serving() == ["b"]


def test_lone_driver_serves_its_robots_after_listening() -> None:
    hosts = Hosts()
    hosts.join(driver("a", (1, 2)))
    hosts.run(0.4)
    assert hosts.log == []
    hosts.run(0.3)
    assert hosts.log == ["a SERVING 1", "a SERVING 2"]


def test_driver_listens_longer_when_a_robot_reports_to_an_undiscovered_driver() -> None:
    claims = driver("a", (1, 2))
    steps = range(1, 60)
    served_s = {
        change.robot_id: step * STEP_NS * 1e-9
        for step in steps
        for change in claims.advance(step * STEP_NS, step * STEP_NS, reporting={2})
    }
    assert served_s == {1: pytest.approx(LISTEN_S + 0.1), 2: pytest.approx(SILENT_S + 0.1)}


def test_second_driver_waits_for_the_shared_robot_and_serves_its_others() -> None:
    hosts = Hosts()
    hosts.join(driver("b", (3, 4)))
    hosts.run(2.0)
    late = driver("a", (1, 3), started_ns=-1)  # by its clock it started earlier
    hosts.join(late)
    hosts.run(2.0)
    assert hosts.log == ["b SERVING 3", "b SERVING 4", "a SERVING 1", "a WAITING 3"]


def test_second_driver_names_the_first() -> None:
    first, second = driver("a"), driver("b")
    hosts = Hosts()
    hosts.join(first)
    hosts.run(1.0)
    second.receive(first.announcement)
    second.advance(0, 0)
    changes = [change for step in range(1, 7) for change in second.advance(step * STEP_NS, 0)]
    assert [(change.state, change.other) for change in changes] == [(ClaimState.WAITING, first.driver)]
    assert str(changes[0].other) == "host a (node /multi_thymio_driver)"


def test_driver_announces_the_drivers_it_knows_until_they_leave_or_fall_silent() -> None:
    first, second, third = driver("a"), driver("b"), driver("c")
    hosts = Hosts()
    for claims in (first, second, third):
        hosts.join(claims)
    assert set(first.announcement.knows) == {"token of b", "token of c"}
    hosts.leave(third)
    assert first.announcement.knows == ("token of b",)
    hosts.crash(second)
    hosts.run(SILENT_S + 1.0)
    assert first.announcement.knows == ()


def test_driver_knows_the_tasks_that_others_perform_until_they_end_or_fall_silent() -> None:
    hosts, first, second = Hosts(), driver("a", (1,)), driver("b", (2,))
    hosts.join(first)
    hosts.join(second)
    first.tasks = ("fetch",)
    hosts.run(2.0)
    assert second.performer_elsewhere("fetch") == first.driver
    assert second.performer_elsewhere("other") is first.performer_elsewhere("fetch") is None
    first.tasks = ()
    hosts.run(1.0)
    assert second.performer_elsewhere("fetch") is None
    first.tasks = ("fetch",)
    hosts.run(1.0)
    hosts.crash(first)
    hosts.run(SILENT_S + 1.0)
    assert second.performer_elsewhere("fetch") is None


def test_older_of_two_drivers_that_start_together_serves_regardless_of_message_order() -> None:
    hosts = Hosts()
    for claims in (driver("a", started_ns=2), driver("b", started_ns=1)):
        hosts.join(claims)
    hosts.run(2.0)
    assert hosts.serving() == ["b"]


def test_host_name_decides_between_drivers_started_in_the_same_nanosecond() -> None:
    hosts = Hosts()
    for host in ("b", "a"):
        hosts.join(driver(host))
    hosts.run(2.0)
    assert hosts.serving() == ["a"]


def test_waiting_driver_serves_when_the_other_leaves() -> None:
    hosts = Hosts()
    first = driver("a")
    hosts.join(first)
    hosts.run(1.0)
    hosts.join(driver("b"))
    hosts.run(1.0)
    hosts.leave(first)
    hosts.run(0.2)
    assert hosts.serving() == ["b"]


def test_waiting_driver_serves_after_long_silence_of_the_other() -> None:
    hosts = Hosts()
    first = driver("a")
    hosts.join(first)
    hosts.run(1.0)
    hosts.join(driver("b"))
    hosts.run(1.0)
    hosts.crash(first)
    hosts.run(SILENT_S - 1.0)
    assert hosts.serving() == []
    hosts.run(2.0)
    assert hosts.serving() == ["b"]


def test_driver_that_was_busy_for_long_does_not_consider_the_others_silent() -> None:
    first, second = driver("a"), driver("b")
    hosts = Hosts()
    hosts.join(first)
    hosts.run(1.0)
    hosts.join(second)
    hosts.run(1.0)
    assert second.advance(hosts.now_ns + 60_000_000_000, 0) == []


def test_after_a_partition_the_driver_that_has_served_longer_keeps_the_robot() -> None:
    hosts = Hosts()
    first, second = driver("b", started_ns=7), driver("a", started_ns=5)
    hosts.join(first)
    hosts.run(1.0)
    hosts.join(second)
    hosts.run(1.0)
    hosts.sides[second] = 1
    hosts.run(SILENT_S + 2.0)
    assert hosts.serving() == ["b", "a"]
    hosts.sides[second] = 0
    hosts.run(2.0)
    assert hosts.serving() == ["b"]


@given(
    started_ns=st.lists(st.integers(0, 3), min_size=2, max_size=4),
    joins_s=st.lists(st.sampled_from([0.0, 0.1, 0.3, 2.0]), min_size=4, max_size=4),
    cuts=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), max_size=3),
    gaps_s=st.lists(st.sampled_from([0.1, 0.7, 3.0, 8.0]), min_size=3, max_size=3),
)
def test_exactly_one_driver_serves_the_robot_after_any_partitions(
    started_ns: list[int], joins_s: list[float], cuts: list[list[int]], gaps_s: list[float]
) -> None:
    hosts = Hosts()
    for index, stamp_ns in enumerate(started_ns):
        hosts.join(driver(f"host {index}", started_ns=stamp_ns))
        hosts.run(joins_s[index])
    for sides, gap_s in zip(cuts, gaps_s, strict=False):
        hosts.sides = dict(zip(hosts.drivers, sides, strict=False))
        hosts.run(gap_s)
    hosts.sides = dict.fromkeys(hosts.drivers, 0)
    hosts.run(SILENT_S + 2.0)
    assert len(hosts.serving()) == 1
    settled = list(hosts.log)
    hosts.run(3.0)
    assert hosts.log == settled
