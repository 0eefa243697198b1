"""Robots of other drivers in our traffic."""

from pathlib import Path

import pytest

from fleet.floor.obstacles import Segment
from fleet.geometry import Pose2D
from fleet.hosts.claims import DriverId
from fleet.routing.fleet_roadmap import roadmap_of
from fleet.timetable.knots import Knot, knots_of
from fleet.timetable.shared_ways import KnownWays, SharedWay, SharedWays
from fleet.timetable.way import Way
from fleet.traffic.neighbourhood import Neighbourhood, OwnLimits
from fleet.traffic.own_ways import OwnRobot
from fleet.traffic.sweep import Sweep
from fleet.traffic.traffic import Traffic
from fleet.traffic.traffic_state import TrafficPhase
from harness.fleets import read
from harness.timed_ways import APART_M, eastward, journey, northward, straight_way

OURS, BENCH = DriverId("attic", "/driver", "ours"), DriverId("bench", "/driver", "theirs")
FLEET = """
arena: {x_min_m: 0, y_min_m: 0, x_max_m: 2, y_max_m: 2}
robots:
- {id: 1, node_id: 1, home: {x_m: 1.0, y_m: 1.0}}
"""
ROBOT, OTHER = 1, 12
SECOND = 1_000_000_000
AHEAD_NS = 7_000 * SECOND  # the other host's clock
START, GOAL = eastward(0.3, 1.0), eastward(1.7, 1.0)
ACROSS = (northward(1.0, 0.25), northward(1.0, 1.75))


class Ours:
    """Our traffic with robot 1, and what is known of robot 12 of host bench; time advances by ticks."""

    def __init__(self, folder: Path, forget_s: float = 0.0, pose: Pose2D = START) -> None:
        config = read(folder, FLEET)
        self.traffic = Traffic(roadmap_of(config), APART_M, 300)
        self.hood = Neighbourhood(self.traffic, OURS, OwnLimits(0.08, 0.15, 0.2), 5.0, forget_s)
        self.pose = pose
        self.serves = True
        self.now_ns = 100 * SECOND
        self.number = 0
        self.run(0.1)

    @property
    def now_s(self) -> float:
        return self.now_ns * 1e-9

    def run(self, seconds: float, seen: Pose2D | None = None, *, confirms: bool = True) -> None:
        """Let time pass; meanwhile the other robot is seen somewhere, and its driver confirms what we tell."""
        for _ in range(round(20 * seconds)):
            self.now_ns += SECOND // 20
            if seen is not None:
                self.hood.see(OTHER, seen, self.now_ns + AHEAD_NS, self.now_ns)
            self.traffic.start_tick(self.now_s)
            own: dict[int, OwnRobot] = {}
            if self.serves:
                self.traffic.note_pose(ROBOT, self.pose)
                clock = self.traffic.clock(ROBOT)
                way = None if clock is None else clock.way
                is_asking = self.traffic.is_planning(ROBOT)
                own[ROBOT] = OwnRobot(self.pose, None, way, is_roaming=False, is_asking=is_asking)
            self.hood.advance(own, self.now_ns)
            self.traffic.advance(0.05)
            shared = self.hood.ways_to_share(self.now_ns, self.now_ns)
            if shared is not None and confirms:
                self.hood.receive_known(
                    KnownWays(BENCH, self.now_ns + AHEAD_NS, {OURS.token: shared.number}), self.now_ns
                )

    def tell(self, *ways: SharedWay, is_leaving: bool = False, driver: DriverId = BENCH) -> None:
        """Have the other driver tell something."""
        self.number += 1
        shared = SharedWays(driver, self.number, self.now_ns + AHEAD_NS, 0.08, 0.15, 0.2, ways, is_leaving=is_leaving)
        self.hood.receive_ways(shared, self.now_ns)

    def on(self, way: Way, asked_s: float = 0.0) -> SharedWay:
        """Return what the other driver tells of its robot on a way, by its own clock."""
        start_ns = round(way.start_s * SECOND) + AHEAD_NS
        return SharedWay(OTHER, self.number + 1, start_ns, knots_of(way), round(asked_s * SECOND))

    def at(self, pose: Pose2D, **what: bool) -> SharedWay:
        """Return what the other driver tells of its robot at a place."""
        return SharedWay(OTHER, self.number + 1, self.now_ns + AHEAD_NS, (Knot(0.0, pose),), **what)

    def across(self) -> Way:
        """Return the way of a robot that starts now, across ours."""
        return straight_way(*ACROSS, start_s=self.now_s)

    def ask(self, goal: Pose2D = GOAL) -> None:
        """Ask for a way."""
        direct = straight_way(self.pose, goal).trajectory
        self.traffic.ask(ROBOT, journey(self.pose, goal), direct)

    @property
    def way(self) -> Way:
        clock = self.traffic.clock(ROBOT)
        assert clock is not None
        return clock.way

    def gap_m(self, other: Way) -> float:
        """Return the least distance between our way and another one."""
        times_s = [self.now_s + 0.05 * index for index in range(800)]
        return min(
            self.way.trajectory.sample(time_s - self.way.start_s).pose.distance_to(
                other.trajectory.sample(time_s - other.start_s).pose
            )
            for time_s in times_s
        )


@pytest.fixture
def ours(tmp_path: Path) -> Ours:
    return Ours(tmp_path)


def test_way_is_planned_around_a_way_of_another_driver(ours: Ours) -> None:
    across = ours.across()
    ours.tell(ours.on(across))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(2.0, ACROSS[0])
    assert ours.gap_m(across) >= APART_M


def test_way_is_planned_around_a_stationary_robot(ours: Ours) -> None:
    ours.tell(ours.at(eastward(1.0, 1.0)))
    ours.run(0.1, eastward(1.0, 1.0))
    ours.ask()
    ours.run(2.0, eastward(1.0, 1.0))
    assert ours.gap_m(straight_way(eastward(1.0, 1.0), eastward(1.0001, 1.0), 1e6)) >= APART_M


@pytest.mark.parametrize(("asked_s", "is_obsolete"), [(1.0, True), (1e6, False)])
def test_of_two_ways_that_meet_the_later_one_is_planned_again(ours: Ours, asked_s: float, is_obsolete: bool) -> None:
    ours.tell(ours.at(ACROSS[0]))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(0.5, ACROSS[0])
    ours.tell(ours.on(ours.across(), asked_s))
    ours.run(0.05, ACROSS[0])
    assert ours.traffic.is_obsolete(ROBOT) is is_obsolete


def test_robot_does_not_start_before_other_drivers_know_its_way(ours: Ours) -> None:
    ours.tell(ours.at(ACROSS[0]))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(1.5, ACROSS[0], confirms=False)
    clock = ours.traffic.clock(ROBOT)
    assert clock is not None
    assert (clock.is_held, ours.traffic.may_drive(ROBOT), clock.time_s(ours.now_s) <= 0.05) == (True, False, True)
    assert ours.traffic.state(ROBOT).going is TrafficPhase.BLOCKED
    assert ours.hood.unheard(ours.now_s) == "host bench, which does not answer"


def test_robot_starts_without_a_driver_that_was_killed_whose_robots_stay_on_the_floor(ours: Ours) -> None:
    ours.tell(ours.at(ACROSS[0]))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(1.5, confirms=False)
    assert not ours.traffic.may_drive(ROBOT)
    ours.hood.forget_driver(BENCH.token)
    ours.run(0.1, confirms=False)
    assert (ours.traffic.may_drive(ROBOT), ours.hood.unheard(ours.now_s)) == (True, "")
    assert ours.hood.robot_ids == [OTHER]


def test_robot_starts_once_other_drivers_know_its_way(ours: Ours) -> None:
    ours.tell(ours.at(ACROSS[0]))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(0.5, ACROSS[0])
    assert ours.traffic.may_drive(ROBOT)
    assert ours.traffic.state(ROBOT).going is TrafficPhase.FREE


def test_robot_waits_for_a_late_robot_of_another_driver(ours: Ours) -> None:
    across = ours.across()
    ours.tell(ours.on(across))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    ours.run(0.4, ACROSS[0])
    ours.pose = GOAL  # ours is on time; the other one has not started
    for _ in range(80):
        clock = ours.traffic.clock(ROBOT)
        assert clock is not None
        ours.pose = clock.way.trajectory.sample(clock.time_s(ours.now_s)).pose
        ours.run(0.05, ACROSS[0])
    assert ours.traffic.state(ROBOT).waiting_for == (OTHER,)
    assert ours.pose.x_m < 0.9


def test_robot_does_not_wait_while_all_are_on_time(ours: Ours) -> None:
    across = ours.across()
    ours.tell(ours.on(across))
    ours.run(0.1, ACROSS[0])
    ours.ask()
    while ours.traffic.clock(ROBOT) is None:
        ours.run(0.05, across.trajectory.sample(ours.now_s - across.start_s).pose)
    clock = ours.traffic.clock(ROBOT)
    assert clock is not None
    while clock.time_s(ours.now_s) < clock.way.trajectory.duration_s:
        ours.pose = clock.way.trajectory.sample(clock.time_s(ours.now_s)).pose
        ours.run(0.05, across.trajectory.sample(ours.now_s - across.start_s).pose)
    assert clock.delay_s < 0.05


def test_robot_of_another_driver_that_was_not_seen_may_be_anywhere_on_its_way(ours: Ours) -> None:
    ours.tell(ours.on(ours.across()))
    ours.run(0.1, ACROSS[0])
    ours.run(1.2)
    assert ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(ACROSS[1])) < 0.01
    ours.ask()
    ours.run(2.0)
    assert ours.traffic.state(ROBOT).going is TrafficPhase.BLOCKED
    assert ours.traffic.in_the_way(ROBOT) == [OTHER]
    assert "robot 12 of host bench, not seen for" in ours.hood.words(OTHER, ours.now_s)


def test_late_joiner_learns_the_clock_of_the_others_from_poses(ours: Ours) -> None:
    across = ours.across()
    told = ours.on(across)
    sent_ns = ours.now_ns + AHEAD_NS
    ours.run(4.0)  # the ways were sent before we were there
    ours.hood.receive_ways(SharedWays(BENCH, 1, sent_ns, 0.08, 0.15, 0.2, (told,)), ours.now_ns)
    ours.run(0.2)
    for _ in range(10):
        ours.run(0.05, across.trajectory.sample(ours.now_s + 0.05 - across.start_s).pose)
    sweep = ours.hood.sweeps(ours.now_s)[OTHER]
    assert sweep.gap_m(point(across.trajectory.sample(ours.now_s - across.start_s).pose)) < 0.01
    assert sweep.gap_m(point(ACROSS[1])) > 0.5


def test_robot_that_is_seen_again_is_on_its_way(ours: Ours) -> None:
    across = ours.across()
    ours.tell(ours.on(across))
    ours.run(0.1, ACROSS[0])
    ours.run(1.5)
    place = across.trajectory.sample(ours.now_s - across.start_s).pose
    ours.run(0.05, place)
    assert ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(ACROSS[1])) > 0.5


def test_lost_robot_of_another_driver_stays_where_it_may_have_stopped(ours: Ours) -> None:
    place, ahead = eastward(1.0, 1.0), eastward(1.06, 1.0)
    lost = SharedWay(OTHER, 1, ours.now_ns + AHEAD_NS, (Knot(0.0, place), Knot(1.0, ahead)), is_lost=True)
    ours.tell(lost)
    ours.run(3.0)
    sweep = ours.hood.sweeps(ours.now_s)[OTHER]
    assert [sweep.gap_m(point(pose)) for pose in (place, ahead)] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert ours.hood.words(OTHER, ours.now_s) == "robot 12 of host bench, lost"


def test_robot_of_a_driver_that_has_left_stays_where_it_is(ours: Ours) -> None:
    ours.tell(ours.on(ours.across()))
    ours.run(0.1, ACROSS[0])
    ours.tell(ours.on(ours.across()), is_leaving=True)
    ours.run(60.0, confirms=False)
    ours.ask(ACROSS[0])
    ours.run(2.0, confirms=False)
    assert (ours.traffic.state(ROBOT).going, ours.traffic.in_the_way(ROBOT)) == (TrafficPhase.BLOCKED, [OTHER])


def test_robot_without_news_is_forgotten_after_the_configured_time(tmp_path: Path) -> None:
    ours = Ours(tmp_path, forget_s=30.0)
    ours.tell(ours.at(ACROSS[0]))
    ours.run(29.0)
    kept = ours.hood.robot_ids
    ours.run(2.0)
    assert (kept, ours.hood.robot_ids, ours.hood.sweeps(ours.now_s)) == ([OTHER], [], {})
    ours.ask(ACROSS[0])
    ours.run(1.0, confirms=False)
    assert ours.traffic.may_drive(ROBOT)


def test_robot_that_another_driver_takes_over_is_in_the_timetable_once(ours: Ours) -> None:
    ours.tell(ours.at(START), driver=BENCH)
    ours.number += 1
    other = DriverId("cellar", "/driver", "new token")
    ours.tell(ours.at(GOAL), driver=other)
    ours.run(0.1, GOAL)
    assert ours.hood.words(OTHER, ours.now_s) == "robot 12 of host cellar, standing"
    sweep = ours.hood.sweeps(ours.now_s)[OTHER]
    assert [sweep.gap_m(point(pose)) > 0.1 for pose in (START, GOAL)] == [True, False]


def test_robot_we_no_longer_serve_stays_until_its_new_driver_announces_it(ours: Ours) -> None:
    ours.serves = False
    ours.traffic.remove(ROBOT)
    ours.hood.adopt(ROBOT, START)
    ours.run(10.0)
    kept = ours.hood.sweeps(ours.now_s)[ROBOT].gap_m(point(START))
    way = SharedWay(ROBOT, 1, ours.now_ns + AHEAD_NS, (Knot(0.0, GOAL),))
    ours.tell(way)
    ours.run(0.1)
    moved = ours.hood.sweeps(ours.now_s)[ROBOT]
    assert (kept <= 0.0, moved.gap_m(point(START)) > 1.0) == (True, True)
    assert ours.hood.words(ROBOT, ours.now_s).startswith("robot 1 of host bench")


def test_robot_that_we_serve_from_now_on_is_not_another_drivers_any_more(ours: Ours) -> None:
    ours.serves = False
    ours.traffic.remove(ROBOT)
    ours.tell(SharedWay(ROBOT, 1, ours.now_ns + AHEAD_NS, (Knot(0.0, GOAL),)))
    ours.run(0.2)
    before = ours.hood.robot_ids
    ours.serves = True
    ours.run(0.1)
    assert (before, ours.hood.robot_ids, ours.hood.sweeps(ours.now_s)) == ([ROBOT], [], {})
    ours.ask()
    ours.run(0.5)
    assert ours.traffic.may_drive(ROBOT)


def test_teleoperated_robot_of_another_driver_is_kept_away_from(ours: Ours) -> None:
    ours.tell(ours.at(ACROSS[0], is_roaming=True))
    ours.run(0.1, ACROSS[0])
    gap_m = ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(ACROSS[0]))
    ours.run(30.0)
    assert -0.1 < gap_m < -0.03
    assert -0.3 < ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(ACROSS[0])) < -0.2


def test_robot_with_a_larger_disc_is_kept_away_from(ours: Ours) -> None:
    shared = SharedWays(BENCH, 1, ours.now_ns, 0.1, 0.15, 0.2, (ours.at(ACROSS[0]),))
    ours.hood.receive_ways(shared, ours.now_ns)
    ours.run(0.1, ACROSS[0])
    assert ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(START)) == pytest.approx(START.distance_to(ACROSS[0]) - 0.02)


def test_robot_of_a_silent_driver_is_taken_as_stationary_where_it_is_seen(ours: Ours) -> None:
    ours.run(0.2, eastward(1.0, 1.0))
    ours.ask(eastward(1.0, 1.0))
    ours.run(2.0, eastward(1.0, 1.0))
    assert ours.traffic.in_the_way(ROBOT) == [OTHER]
    assert ours.hood.words(OTHER, ours.now_s) == "robot 12 of another driver, standing"


def test_pose_beside_the_way_counts(ours: Ours) -> None:
    ours.tell(ours.on(ours.across()))
    carried = eastward(1.5, 1.5)
    ours.run(0.5, carried)
    assert ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(carried)) <= 0.0
    assert ours.hood.sweeps(ours.now_s)[OTHER].gap_m(point(ACROSS[0])) > 1.0


def test_shared_ways_reach_other_drivers_unchanged(ours: Ours) -> None:
    ours.ask()
    ours.run(0.05)
    ours.now_ns += SECOND // 5
    shared = ours.hood.last_ways(ours.now_ns, ours.now_ns + AHEAD_NS)
    (way,) = shared.ways
    assert (way.robot_id, way.knots[-1].pose, way.start_ns - AHEAD_NS) == (
        ROBOT,
        GOAL,
        round(ours.way.start_s * SECOND),
    )


def point(pose: Pose2D) -> Sweep:
    return Sweep([Segment(pose.x_m, pose.y_m, pose.x_m, pose.y_m)], 0.0)
