import pytest

from fleet.paths.polyline import rounded_polyline
from fleet.timetable.step_budget import StepBudget
from fleet.timetable.way import Way
from fleet.traffic.precedence import WayOrder
from fleet.traffic.way_clock import WayClock
from fleet.trajectories.timing import plan_fastest
from harness.timed_ways import LIMITS, eastward, northward, straight_way

ORDER_M = 0.18


@pytest.fixture
def first() -> WayClock:
    return WayClock(straight_way(eastward(0, 0), eastward(1, 0)))


@pytest.fixture
def second() -> WayClock:
    return WayClock(straight_way(northward(0.5, -1.0), northward(0.5, 1.0)))  # crosses behind the first one


def ordered(first: WayClock, second: WayClock) -> WayOrder:
    order = WayOrder(ORDER_M, StepBudget(10_000))
    order.enter(1, first)
    order.enter(2, second)
    order.arrange(0.0)
    return order


def test_ways_are_ordered_as_soon_as_there_is_time_for_it(first: WayClock, second: WayClock) -> None:
    budget = StepBudget(1)
    order = WayOrder(ORDER_M, budget)
    order.enter(1, first)
    order.enter(2, second)
    budget.spend(2)
    order.arrange(0.0)
    first.delay_s = 3.0
    assert order.awaited(2, 4.0) is None
    budget.refill()
    budget.refill()
    order.arrange(0.0)
    assert order.awaited(2, 4.0) == 1


def test_long_ways_are_ordered_in_parts_as_they_are_at_once() -> None:
    course = rounded_polyline([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], is_closed=True, radius_m=0.2)
    clocks = [WayClock(Way(plan_fastest(course.moved(eastward(x, 0.0)).repeated(3), LIMITS), x)) for x in (0.0, 0.6)]
    at_once, budget = ordered(*clocks), StepBudget(1)
    in_parts = WayOrder(ORDER_M, budget)
    in_parts.enter(1, clocks[0])
    in_parts.enter(2, clocks[1])
    for _ in range(1000):
        budget.refill()
        in_parts.arrange(0.0)
    clocks[0].delay_s = 4.0
    waiting = [at_once.awaited(2, 0.5 * time) for time in range(120)]
    assert waiting == [in_parts.awaited(2, 0.5 * time) for time in range(120)]
    assert 1 in waiting


def test_no_robot_waits_while_all_are_on_time(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    assert (order.awaited(1, 1.0), order.awaited(2, 1.0)) == (None, None)


def test_follower_waits_for_a_late_leader(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    first.delay_s = 3.0
    assert (order.awaited(1, 4.0), order.awaited(2, 4.0)) == (None, 1)


def test_order_does_not_depend_on_who_was_entered_first(first: WayClock, second: WayClock) -> None:
    order = ordered(second, first)  # robot 1 is now the one that goes second
    first.delay_s = 3.0
    assert order.awaited(1, 4.0) == 2


def test_follower_that_is_as_late_as_its_leader_drives_on(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    first.delay_s = second.delay_s = 3.0
    assert order.awaited(2, 4.0) is None


def test_no_robot_waits_for_a_robot_that_has_passed(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    first.delay_s = 3.0
    assert order.awaited(2, 11.0) is None


def test_no_robot_waits_for_a_robot_without_a_way(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    first.delay_s = 3.0
    order.remove(1)
    assert order.awaited(2, 4.0) is None


def test_leader_is_known(first: WayClock, second: WayClock) -> None:
    order = ordered(first, second)
    assert (order.leads(1), order.leads(2)) == (True, False)


def test_ways_that_never_meet_have_no_order(first: WayClock) -> None:
    far = WayClock(straight_way(eastward(0, 1), eastward(1, 1)))
    order = ordered(first, far)
    first.delay_s = 3.0
    assert order.awaited(2, 4.0) is None


def test_clock_brakes_and_starts_within_a_third_of_a_second() -> None:
    clock = WayClock(Way(straight_way(eastward(0, 0), eastward(1, 0)).trajectory, 0.0))
    for _ in range(7):
        clock.run(0.05, may_run=False)
    stopped_s = clock.delay_s
    clock.run(0.05, may_run=False)
    assert clock.rate == 0.0
    assert clock.delay_s == pytest.approx(stopped_s + 0.05)
    for _ in range(7):
        clock.run(0.05, may_run=True)
    assert clock.rate == 1.0


def test_robot_behind_its_clock_is_late() -> None:
    clock = WayClock(straight_way(eastward(0, 0), eastward(1, 0)))
    place = clock.way.trajectory.sample(4.0).pose
    clock.note_pose(eastward(place.x_m - 0.045, place.y_m), 4.0)
    assert clock.behind_s == pytest.approx(0.035 / 0.14)
    assert clock.off_m == pytest.approx(0.0, abs=1e-9)


def test_robot_beside_its_way_is_off_it() -> None:
    clock = WayClock(straight_way(eastward(0, 0), eastward(1, 0)))
    place = clock.way.trajectory.sample(4.0).pose
    clock.note_pose(eastward(place.x_m, place.y_m + 0.04), 4.0)
    assert (clock.behind_s, clock.off_m) == (0.0, pytest.approx(0.04))
