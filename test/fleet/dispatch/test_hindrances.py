"""What hinders robots, in words."""

from dataclasses import replace

from fleet.dispatch.hindrances import hindrances
from fleet.geometry import Pose2D
from fleet.robots.readiness import Readiness

HOME = Pose2D(0.0, 0.0, 0.0)
SOUND = Readiness(1, HOME, HOME, is_able=False, charge=0.9)


def test_robots_are_named_by_what_hinders_them() -> None:
    robots = [
        replace(SOUND, robot_id=1),
        replace(SOUND, robot_id=2, is_served=False),
        replace(SOUND, robot_id=3, pose=None),
        replace(SOUND, robot_id=4, charge=0.034),
        replace(SOUND, robot_id=5),
        replace(SOUND, robot_id=6),
    ]
    text = hindrances(robots, {1, 5}.__contains__, {4}.__contains__)
    assert text == (
        "robots 1 and 5: off duty; robot 2: no driver; robot 3: no pose; robot 4: 3 % charge; "
        "robot 6: takes no tasks, see `thymio-fleet status`"
    )


def test_without_robots_nothing_is_said() -> None:
    assert hindrances([], bool, bool) == ""
