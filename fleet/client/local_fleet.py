"""The knowledge of this host's drivers about the fleet, read without ROS."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fleet.client.local_question import ANSWER_S, ask_local_drivers
from fleet.client.robot_report import RobotReport, level_of
from fleet.hosts.known_fleet import KnownFleet, known_fleet_from_bytes
from fleet.hosts.local_drivers import FLEET_ENDING
from thymio_base.fast_dds import discovery_settings


@dataclass(frozen=True, slots=True)
class LocalFleet:
    """The combined knowledge of this host's drivers.

    Parameters
    ----------
    is_settled : whether they know every driver and every robot on the graph
    answered : tokens of the drivers that answered
    known : tokens of drivers that they know, on this and on other hosts
    silent : tokens of running drivers of this host that did not answer: suspended or very busy
    reports : reports of their robots that have published a status, by robot ID
    missing_ids : further robots that they know
    """

    is_settled: bool = False
    answered: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    reports: Mapping[int, RobotReport] = field(default_factory=dict)
    missing_ids: frozenset[int] = frozenset()

    @property
    def has_drivers(self) -> bool:
        """Whether a driver runs on this host, even if it has not answered."""
        return bool(self.answered or self.silent)

    def is_busy(self) -> bool:
        """Whether a driver runs on this host without answering."""
        return bool(self.silent)

    def may_serve(self, robot_id: int) -> bool:
        """Whether a driver of this host serves a robot, or might because it does not answer."""
        return self.is_busy() or robot_id in self.reports or robot_id in self.missing_ids

    def may_locate(self, robot_id: int) -> bool:
        """Whether a driver of this host knows where a robot is, or might because it does not answer."""
        report = self.reports.get(robot_id)
        return self.is_busy() or (report is not None and report.pose is not None)

    @property
    def is_whole(self) -> bool:
        """Whether its reports cover all robots on the graph."""
        return self.is_settled and self.known <= self.answered and not self.missing_ids


def local_fleet(domain_id: int, timeout_s: float = ANSWER_S, network: str = "") -> LocalFleet:
    """Return what the drivers of this host, user and ROS domain know; drivers with another network do not count.

    `network` is the earlier result of `discovery_settings`, for use when the environment has changed since.
    """
    answers = ask_local_drivers(domain_id, FLEET_ENDING, timeout_s)
    answered = [known_fleet_from_bytes(answer) for answer in answers.answers]
    network = network or discovery_settings()
    fleets = [one for one in answered if one is not None and one.network == network]
    return joined(fleets, answers.silent, is_certain=None not in answered)


def joined(fleets: Sequence[KnownFleet], silent: frozenset[str], *, is_certain: bool = True) -> LocalFleet:
    """Return the combined knowledge of several drivers; nothing is settled if an answer could not be read."""
    reports = [report for fleet in fleets for report in _reports(fleet, fleets)]
    by_id = {report.robot_id: report for report in reports}
    is_certain = is_certain and bool(fleets) and not silent and len(by_id) == len(reports)
    robot_ids = (robot_id for one in fleets for robot_id in (*one.serves, *one.waits_for, *one.foreign_ids))
    return LocalFleet(
        is_settled=is_certain and all(one.is_settled for one in fleets),
        answered=frozenset(one.driver.token for one in fleets),
        known=frozenset(token for one in fleets for token in one.knows),
        silent=silent,
        reports=by_id,
        missing_ids=frozenset(robot_ids) - by_id.keys(),
    )


def _reports(fleet: KnownFleet, fleets: Sequence[KnownFleet]) -> Iterator[RobotReport]:
    for robot in fleet.robots:
        yield RobotReport(
            robot.robot_id,
            level=level_of(robot.level),
            message=robot.message,
            values=robot.values,
            pose=robot.pose,
            age_s=robot.age_s,
            host=fleet.driver.host,
            driver_node=fleet.driver.node,
            waiting_hosts=[other.driver.host for other in fleets if robot.robot_id in other.waits_for],
        )
