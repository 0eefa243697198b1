"""Ids and places are refused for the same reasons, whoever asks."""

from pathlib import Path

import pytest

from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS
from fleet.work.objections import (
    objection_to_id,
    objection_to_numbers,
    objection_to_poses,
    objection_to_work,
)
from fleet.work.task_of_work import task_of_work
from fleet.work.work import Place, Work, objection_to_transport
from harness.fleets import read

ROBOT = "robots: [{id: 1, node_id: 1, home: {x_m: 1, y_m: 1}}]"


@pytest.mark.parametrize(
    ("task_id", "reason"),
    [
        ("", Reason.EMPTY_ID),
        (" ", Reason.EMPTY_ID),
        ("\u00a0", Reason.EMPTY_ID),
        ("\t\n", Reason.EMPTY_ID),
        (" a", Reason.BAD_ID),
        ("a ", Reason.BAD_ID),
        ("a\nb", Reason.BAD_ID),
        ("a\u00a0b", Reason.BAD_ID),
        ("x" * 11, Reason.BAD_ID),
    ],
)
def test_ids_that_look_alike_are_refused(task_id: str, reason: Reason) -> None:
    objection = objection_to_id(task_id, 10)
    assert objection is not None
    assert objection.reason is reason


@pytest.mark.parametrize("task_id", ["a", "a b", "jo\u010dek", "\u4efb\u52a1-1"])
def test_printable_ids_in_any_script_are_taken(task_id: str) -> None:
    assert objection_to_id(task_id, 10) is None


def test_a_pose_that_is_not_finite_is_named_with_short_numbers() -> None:
    objection = objection_to_numbers([Pose2D(1e308, float("nan"), 0.0)])
    assert objection is not None
    assert str(objection) == "NON_FINITE_POSE: (1e+308, nan, 0) is not finite"


def test_numbers_of_a_place_far_outside_are_short(tmp_path: Path) -> None:
    config = read(tmp_path, f"arena: {{x_min_m: 0, y_min_m: 0, x_max_m: 4, y_max_m: 3}}\n{ROBOT}\n")
    objection = objection_to_poses([Pose2D(1e308, 1.0, 0.0)], config)
    assert objection is not None
    assert str(objection).startswith("OUT_OF_ARENA: x = 1e+308, at most 3.920,")


def test_a_fleet_without_an_arena_has_places_within_a_kilometre(tmp_path: Path) -> None:
    config = read(tmp_path, f"{ROBOT}\n")
    assert objection_to_poses([Pose2D(900.0, -900.0, 0.0)], config) is None
    objection = objection_to_poses([Pose2D(1e9, 0.0, 0.0)], config)
    assert objection is not None
    assert str(objection).startswith("OUT_OF_ARENA: x = 1e+09, at most 999.920")


def test_every_kind_of_task_is_in_the_table_of_kinds() -> None:
    assert set(KINDS) == set(TaskKind)


FLOOR = f"""
arena: {{x_min_m: 0, y_min_m: 0, x_max_m: 4, y_max_m: 3}}
stations:
- {{name: press, pose: {{x_m: 1, y_m: 2}}, role: load}}
- {{name: bay, pose: {{x_m: 3, y_m: 2}}, role: charge}}
{ROBOT}
"""
HOME, PRESS, BAY = (Pose2D(*point_m, 0.0) for point_m in ((1.0, 1.0), (1.0, 2.0), (3.0, 2.0)))


@pytest.mark.parametrize(
    ("kind", "poses", "words"),
    [
        (TaskKind.TRANSPORT, [PRESS, Pose2D(0.5, 0.25, 0.0)], "transport press > (0.50, 0.25)"),
        (TaskKind.GO_TO, [BAY], "go_to bay"),
        (TaskKind.DOCK, [BAY], "dock bay"),
        (TaskKind.GO_HOME, [], "go_home"),
    ],
)
def test_stations_are_named_whoever_asks(kind: TaskKind, poses: list[Pose2D], words: str, tmp_path: Path) -> None:
    work = Work(kind, tuple(map(Place, poses)))  # as goals have it: without names
    assert task_of_work(work, "a", read(tmp_path, FLOOR), home=HOME, pose=HOME).words() == words


def test_transport_to_where_it_starts_is_refused_before_a_driver_gets_it(tmp_path: Path) -> None:
    work = Work(TaskKind.TRANSPORT, (Place(PRESS, "press"), Place(PRESS, "press")))
    refusal = "BAD_JOB: from and to are the same place, press; choose two places"
    assert str(objection_to_work(work, read(tmp_path, FLOOR))) == refusal
    assert str(objection_to_transport(work)) == refusal
