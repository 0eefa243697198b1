import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from thymio_fleet_interfaces.action import FollowPath

from fleet.errors import GoalRejectedError
from fleet.interface.work_messages import work_from_goal
from fleet.paths.placement import Placement
from fleet.reason import Reason
from fleet.settings.path_file import PathFile
from fleet.settings.path_limits import LENGTH_MAX_M, PIECES_MAX, TEXT_MAX, WAYPOINTS_MAX
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import path_of_work


def waypoints(*places: tuple[float, float]) -> FollowPath.Goal:
    return FollowPath.Goal(waypoints_m=[value_m for place in places for value_m in place])


def path_of(goal: FollowPath.Goal) -> PathFile:
    return path_of_work(work_from_goal(TaskKind.FOLLOW_PATH, goal, "map"))


def rejection(goal: FollowPath.Goal) -> GoalRejectedError:
    with pytest.raises(GoalRejectedError) as caught:
        path_of(goal)
    return caught.value


def test_fields_missing_in_a_goal_come_from_its_path() -> None:
    text = "shape: square\nlaps: 3\nspeed_mps: 0.05\nrelative_to: pose\n"
    found = path_of(FollowPath.Goal(path=text))
    assert (found.laps, found.speed_mps, found.placement) == (3, 0.05, Placement.POSE)


def test_fields_of_a_goal_override_its_path() -> None:
    text = "shape: square\nlaps: 3\nspeed_mps: 0.05\nrelative_to: pose\n"
    found = path_of(FollowPath.Goal(path=text, laps=2, speed_mps=0.1, relative_to="map"))
    assert (found.laps, found.speed_mps, found.placement) == (2, 0.1, Placement.MAP)


def test_shape_name_alone_is_a_path() -> None:
    found = path_of(FollowPath.Goal(path="square"))
    assert (found.lap.length_m, found.laps, found.speed_mps, found.placement) == (4.0, 1, None, Placement.POSITION)


def test_waypoints_are_in_the_fleets_frame_unless_declared_relative() -> None:
    goal = waypoints((1.0, 1.0), (1.0, 2.0))
    assert path_of(goal).placement is Placement.MAP
    goal.relative_to = "pose"
    assert path_of(goal).placement is Placement.POSE


def test_waypoints_that_end_where_they_start_are_driven_in_laps() -> None:
    goal = waypoints((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0))
    goal.laps = 2
    assert path_of(goal).path.is_closed


@pytest.mark.parametrize("speed_mps", [math.nan, math.inf, -0.1, 1e-9])
def test_invalid_speed_is_named(speed_mps: float) -> None:
    error = rejection(FollowPath.Goal(path="square", speed_mps=speed_mps))
    assert error.reason is Reason.BAD_SPEED
    assert f"speed_mps is {speed_mps}" in str(error)


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (FollowPath.Goal(), "a goal has either path or waypoints"),
        (FollowPath.Goal(path="square", waypoints_m=[0.0, 0.0]), "waypoints, not both"),
        (FollowPath.Goal(path="squa re"), "path:1"),
        (FollowPath.Goal(path="#" * (TEXT_MAX + 1)), f"path has {TEXT_MAX + 1} characters, more than {TEXT_MAX}"),
        (
            FollowPath.Goal(path="{shape: square, size_m: 30}", laps=3),
            f"3 laps of 120 m are longer than {LENGTH_MAX_M:g} m",
        ),
        (
            FollowPath.Goal(path="pieces: [turn_rad: 6.283185307179586]", laps=4_000_000_000),
            f"4000000000 laps of 1 lines, arcs and turns are more than {PIECES_MAX} of them",
        ),
        (
            FollowPath.Goal(path="waypoints_m: [[0, 0], [1, 1]]", laps=2),
            "a path that is not closed cannot be driven 2 times",
        ),
        (FollowPath.Goal(path="pieces: &a [*a]"), "aliases (*name) are not accepted"),
        (FollowPath.Goal(path="square", relative_to="moon"), "relative_to is 'moon', not one of position, pose, map"),
        (waypoints((0.0, 0.0)), "a path through waypoints needs 2 of them, not 1"),
        *((waypoints(*[(0.5, 0.0)] * count), "waypoints 0 and 1 are 0 m apart") for count in (2, 3, 4, 9)),
        (FollowPath.Goal(waypoints_m=[0.0, 0.0, 1.0]), "waypoints_m has 3 numbers, and needs x and y of each waypoint"),
    ],
)
def test_invalid_path_is_named(goal: FollowPath.Goal, text: str) -> None:
    error = rejection(goal)
    assert error.reason is Reason.BAD_PATH
    assert text in str(error)


def test_message_has_room_for_as_many_waypoints_as_a_path_may_have() -> None:
    # longer ones never become Python objects: reading them would delay all robots
    assert FollowPath.Goal.get_fields_and_field_types()["waypoints_m"] == f"sequence<double, {2 * WAYPOINTS_MAX}>"


def test_non_finite_waypoint_is_named() -> None:
    error = rejection(waypoints((0.0, 0.0), (math.nan, 1.0)))
    assert error.reason is Reason.NON_FINITE_POSE
    assert "waypoint 1, (nan, 1.0), is not finite" in str(error)


def is_accepted(goal: FollowPath.Goal) -> bool:
    """Return whether a goal is accepted; otherwise it is rejected with a reason, whatever its content."""
    try:
        return path_of(goal).path.length_m >= 0.0
    except GoalRejectedError:
        return False


@given(st.text(max_size=60) | st.text("{}[]:,-&*!|>#'\"0.9en \n\tshapewints_m", max_size=60))
@example("? a")
@example("!!python/object:os.system {}")
@example("shape: 1e999")
@example("1: 2")
@example("{waypoints_m: [[0, 0], [1, 1e308]]}")
@example("pieces: [{arc_rad: 1000, radius_m: 1.0e-300}]")
@example("{shape: eight, size_m: 0.01, laps: 10000}")
def test_any_text_is_accepted_or_rejected_with_a_reason(text: str) -> None:
    assert is_accepted(FollowPath.Goal(path=text)) in (True, False)


@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=6), st.floats(), st.integers(0, 2**32 - 1))
def test_any_waypoints_are_accepted_or_rejected_with_a_reason(
    places: list[tuple[float, float]], speed_mps: float, laps: int
) -> None:
    goal = waypoints(*places)
    goal.speed_mps, goal.laps = speed_mps, laps
    assert is_accepted(goal) in (True, False)
