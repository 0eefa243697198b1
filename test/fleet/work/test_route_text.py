"""Routes as one line of text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.tasks.route import RouteLeg, RouteLegKind
from fleet.work.route_text import route_of_text, route_of_words, route_text
from harness.route_legs import route_legs

STATIONS = {"press": Pose2D(0.9, 2.5, 0.0)}


@given(st.lists(route_legs(), max_size=5).map(tuple))
def test_legs_survive_their_way_through_text(legs: tuple[RouteLeg, ...]) -> None:
    assert route_of_words(route_text(legs).split(), STATIONS.get) == legs


def test_text_names_places_speeds_corners_and_angles() -> None:
    legs = route_of_text("1,2;press@0.05~0.02 turn:90deg load:2 dock:press", STATIONS.get)
    assert legs == (
        RouteLeg(RouteLegKind.DRIVE, ((1.0, 2.0), (0.9, 2.5)), 0.05, 0.02),
        RouteLeg(RouteLegKind.TURN, value=math.pi / 2),
        RouteLeg(RouteLegKind.LOAD, value=2.0),
        RouteLeg(RouteLegKind.DOCK, ((0.9, 2.5),)),
    )
    assert route_text(legs).startswith("1.0,2.0;press@0.05~0.02 ")
    assert "press" not in route_text(legs, named=False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1,1 oven", "leg 1, 'oven': 'oven' is neither X,Y in metres nor a station"),
        ("1,x", "leg 0, '1,x': must be a number in metres"),
        ("spin:1", "leg 0, 'spin:1': it starts with none of turn:, wait:, load:, unload:, dock:"),
        ("wait:-1", "leg 0, 'wait:-1': must be a number of seconds"),
        ("1,1@0", "leg 0, '1,1@0': must be a number in m/s"),
        ("1,1 " * 1300, "the route has 5200 characters, more than 5000"),
    ],
)
def test_unreadable_parts_are_named(text: str, problem: str) -> None:
    with pytest.raises(GoalRejectedError) as caught:
        route_of_text(text, STATIONS.get)
    assert caught.value.explanation.detail.startswith(problem)
