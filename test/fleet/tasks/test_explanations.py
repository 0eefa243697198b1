"""What explanations of rejections and aborts say: each has its numbers, and what to try."""

import pytest

from fleet.floor.obstacles import Obstacles, Segment
from fleet.geometry import Pose2D
from fleet.reason import Explanation, Reason
from fleet.settings.config import ArenaConfig
from fleet.tasks import explanations

ARENA = ArenaConfig(0.0, 0.0, 3.0, 2.2)
HERE = Pose2D(1.0, 1.0, 0.0)
MARGIN = ", as the body needs 0.08 m to the arena's edge"
WALL = Obstacles([Segment(1.0, 0.5, 2.0, 0.5)])


def test_explanation_is_its_reason_and_its_detail() -> None:
    assert str(Explanation(Reason.BUSY, "wait")) == "BUSY: wait"


def test_explanation_without_a_detail_is_its_reason() -> None:
    assert str(Explanation(Reason.BUSY, "")) == "BUSY"


def test_long_detail_is_shortened_to_the_limit() -> None:
    shortened = Explanation(Reason.BAD_PATH, "x" * 600).shortened(500)
    assert shortened == Explanation(Reason.BAD_PATH, "x" * 497 + "...")


def test_detail_within_the_limit_is_kept() -> None:
    assert Explanation(Reason.BAD_PATH, "x" * 500).shortened(500).detail == "x" * 500


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            explanations.empty_id(""),
            "EMPTY_ID: the task id is empty, as of an idle robot; choose a new id for each goal",
        ),
        (explanations.empty_id("  "), "EMPTY_ID: the task id '  ' has blanks alone; choose a new id for each goal"),
        (explanations.bad_id("x" * 129, 128), "BAD_ID: the task id has 129 characters, at most 128"),
        (
            explanations.bad_id("ab ", 128),
            "BAD_ID: the task id 'ab ' starts or ends with a blank, which people do not see",
        ),
        (explanations.bad_id("ab\n", 128), "BAD_ID: character 3 of the task id, '\\n', is not printable"),
        (
            explanations.duplicate_id("a", "robot 2", is_running=True),
            "DUPLICATE_ID: robot 2 performs a task with the id 'a'; choose a new id for each goal",
        ),
        (
            explanations.duplicate_id("a", "robot 2", is_running=False),
            "DUPLICATE_ID: robot 2 performed a task with the id 'a'; choose a new id for each goal",
        ),
        (
            explanations.busy("task_go_to 'a'", 0.4, 5.2, 3),
            "BUSY: it performs task_go_to 'a' (40%, 5 s to go); wait, or try: thymio-fleet cancel 3",
        ),
        (
            explanations.too_many_goals(20),
            "BUSY: 20 goals for this robot wait to be decided; wait for each answer",
        ),
        (
            explanations.stopped(),
            "STOPPED: the fleet is stopped until it is resumed; try: thymio-fleet resume",
        ),
        (
            explanations.no_link("not seen yet", 2),
            "ROBOT_LOST: no link to the robot: not seen yet; check that it is switched on, and its target",
        ),
        (
            explanations.no_link(explanations.USER_SCRIPT, 2),
            "ROBOT_LOST: it runs a script that was loaded to it, and takes no tasks; "
            "try: thymio-fleet script default 2",
        ),
        (explanations.silent(3.24, 3.0), "ROBOT_LOST: no odometry for 3.2 s, at most 3 s"),
        (
            explanations.pose_lost("/pose", None, "", 2.0),
            "POSE_LOST: nothing on /pose yet; check motion capture",
        ),
        (
            explanations.pose_lost("/pose", 2.44, "too old", 2.0),
            "POSE_LOST: nothing usable on /pose for 2.4 s, at most 2 s, the last pose was too old; "
            "check motion capture",
        ),
        (
            explanations.pose_lost("", None, "", 2.0),
            "POSE_LOST: the robot has not reported its wheels yet; wait for its odometry",
        ),
        (
            explanations.battery_critical(4, 7),
            "BATTERY_CRITICAL: the battery has 4 %, which allows only to go home or dock; try: thymio-fleet go-home 7",
        ),
        (
            explanations.served_elsewhere("host b (node /n)"),
            "SERVED_ELSEWHERE: host b (node /n) serves the robot; see: thymio-fleet list",
        ),
        (
            explanations.served_elsewhere(""),
            "SERVED_ELSEWHERE: this driver does not serve the robot yet; see: thymio-fleet list",
        ),
        (
            explanations.client_lost(3.04, 3.0),
            "CLIENT_LOST: no client that could cancel the task for 3.0 s, at most 3 s (tasks.client_lost_s); "
            "clients stay until their task ends",
        ),
        (
            explanations.no_progress(30.4, explanations.distance_text(HERE, Pose2D(1.3, 1.4, 0.5))),
            "NO_PROGRESS: no nearer to the goal for 30 s, 0.500 m and 29 degrees from (1.300, 1.400); "
            "look for what blocks the robot",
        ),
        (
            explanations.deadline(31.2, 30.0, 5.0, explanations.distance_text(None, HERE)),
            "DEADLINE: not done after 31 s, at most 30 s for a plan of 5.0 s; the robot has not driven",
        ),
        (explanations.shut_down(), "SHUTDOWN: the driver shuts down; send the goal again when it is back"),
    ],
    ids=lambda value: value.split(":")[0] if isinstance(value, str) else "",
)
def test_explanation_gives_numbers_and_advice(found: Explanation, expected: str) -> None:
    assert str(found) == expected


def test_every_reason_that_no_message_conversion_gives_has_an_explanation() -> None:
    of_messages = {"NON_FINITE_POSE", "BAD_QUATERNION", "UNKNOWN_FRAME", "BAD_PATH", "BAD_SPEED"}
    of_jobs = {"BAD_JOB", "DEPENDENCY", "DEADLINE_MISSED", "NO_ROBOT", "ATTEMPTS", "HELD_AT_RESTART", "BOOK"}
    text = (explanations.__doc__ or "") + "".join(
        member.__doc__ or "" for member in vars(explanations).values() if callable(member)
    )
    names = {reason.value for reason in Reason} - of_messages - of_jobs - {"OUT_OF_ARENA"}
    assert {name for name in names if f"Explain {name}" not in text} == set()


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Pose2D(1.0, 2.203, 0.0), "y = 2.203, at most 2.120"),
        (Pose2D(-0.1, 1.0, 0.0), "x = -0.100, at least 0.080"),
        (Pose2D(3.01, -4.0, 0.0), "x = 3.010, at most 2.920, and y = -4.000, at least 0.080"),
    ],
)
def test_place_outside_is_named_by_its_coordinates_and_the_limits(place: Pose2D, expected: str) -> None:
    found = explanations.out_of_arena([HERE, place], ARENA, None)
    assert found == Explanation(Reason.OUT_OF_ARENA, f"{expected}{MARGIN}")


def test_places_at_which_the_body_touches_the_edge_are_accepted() -> None:
    assert explanations.out_of_arena([HERE, Pose2D(0.08, 0.08, 0.0)], ARENA, None) is None


def test_shape_that_is_too_large_gets_the_largest_size_that_fits() -> None:
    start, corner = Pose2D(1.0, 1.715, 0.0), Pose2D(1.0, 2.715, 0.0)
    found = explanations.out_of_arena([start, corner], ARENA, 1.0)
    assert found == Explanation(Reason.OUT_OF_ARENA, f"y = 2.715, at most 2.120{MARGIN}; try --size 0.4")


@pytest.mark.parametrize("start", [Pose2D(1.0, 2.1, 0.0), Pose2D(1.0, 2.3, 0.0)], ids=["at the edge", "outside"])
def test_shape_that_fits_in_no_size_gets_no_advice(start: Pose2D) -> None:
    found = explanations.out_of_arena([start, Pose2D(1.0, 3.2, 0.0)], ARENA, 1.0)
    assert found is not None
    assert "--size" not in found.detail


def test_goal_too_close_to_a_wall_is_explained_by_its_distance() -> None:
    found = explanations.unreachable(Pose2D(1.5, 0.53, 0.0), WALL, 0.08)
    expected = "(1.500, 0.530) is 0.030 m from a wall or keep-out area of `floor`, at least 0.08 m"
    assert found == Explanation(Reason.UNREACHABLE, expected)


def test_goal_behind_a_wall_is_explained_by_the_way() -> None:
    found = explanations.unreachable(Pose2D(1.5, 1.0, 0.0), WALL, 0.08)
    expected = "a wall or keep-out area of `floor` is in the way to (1.500, 1.000); try other goals around it"
    assert found == Explanation(Reason.UNREACHABLE, expected)
