"""Legs of routes as numbers side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thymio_fleet_interfaces.msg import RouteLegs

from fleet.errors import GoalRejectedError
from fleet.interface.work_messages import goal_from_work, legs_from_ros, legs_to_ros, work_from_goal
from fleet.reason import Reason
from fleet.tasks.route import RouteLeg
from fleet.tasks.task_kind import TaskKind
from fleet.work.work import Work
from harness.route_legs import route_legs


@given(st.lists(route_legs(), min_size=1, max_size=5).map(tuple))
def test_a_route_survives_its_way_through_a_goal(legs: tuple[RouteLeg, ...]) -> None:
    work = Work(TaskKind.FOLLOW_ROUTE, route=legs)
    assert work_from_goal(work.kind, goal_from_work(work, "a", "map", 0), "map") == work


def test_corners_may_be_left_out() -> None:
    message = RouteLegs(kinds=[RouteLegs.DRIVE], point_counts=[1], points_m=[1.0, 2.0], values=[0.0])
    assert [leg.corner_m for leg in legs_from_ros(message)] == [0.0]


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"kinds": [1, 9]}, "kinds has 9, not one of 1, 2, 3, 4, 5, 6"),
        ({"values": [0.0]}, "values has 1 numbers for 2 legs"),
        ({"corners_m": [0.0]}, "corners_m has 1 numbers for 2 legs"),
        ({"point_counts": [2, 0]}, "point_counts has 2 points in all, points_m 1"),
        ({"points_m": [1.0]}, "points_m has 1 numbers, and needs x and y of each waypoint"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(changed: dict[str, list[float]], text: str) -> None:
    fields = {"kinds": [1, 2], "point_counts": [1, 0], "points_m": [1.0, 2.0], "values": [0.0, 1.0]}
    with pytest.raises(GoalRejectedError) as caught:
        legs_from_ros(RouteLegs(**{**fields, **changed}))
    assert (caught.value.explanation.reason, caught.value.explanation.detail) == (Reason.BAD_PATH, text)


def test_a_sent_leg_is_the_one_that_was_meant() -> None:
    message = legs_to_ros(legs_from_ros(RouteLegs(kinds=[6], point_counts=[1], points_m=[1.0, 2.0], values=[0.0])))
    assert (list(message.kinds), list(message.points_m)) == ([RouteLegs.DOCK], [1.0, 2.0])
