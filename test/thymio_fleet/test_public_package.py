"""What users import, write and catch."""

import pickle
import subprocess
import sys

import pytest

import thymio_fleet
from fleet.reason import Reason
from harness.pages import ROOT
from thymio_fleet import Pose2D, SyncFleet, TaskAbortedError, TaskError, TaskRejectedError
from thymio_fleet.task_order import pose_of_spot

HEAVY = ("jsonschema", "matplotlib", "numpy", "rclpy", "rich", "yaml")


def test_every_public_name_is_there() -> None:
    assert [name for name in thymio_fleet.__all__ if not hasattr(thymio_fleet, name)] == []


def test_the_import_of_the_package_loads_nothing_heavy() -> None:
    program = f"import sys, thymio_fleet; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_of_a_server_is_a_member_of_the_closed_set(reason: Reason) -> None:
    error = TaskRejectedError("robot 3", f"{reason.value}: y = 2.203, at most 2.120")
    assert (error.reason, error.detail) == (reason, "y = 2.203, at most 2.120")
    assert str(error) == f"robot 3: {reason.value}: y = 2.203, at most 2.120"


def test_messages_of_foreign_servers_are_details_without_a_reason() -> None:
    error = TaskAbortedError("robot 3", "the server aborted the goal")
    assert (error.reason, error.detail) == (None, "the server aborted the goal")


@pytest.mark.parametrize("text", ["BUSY", "BUSY: performs go_to-1", "something else: of another server"])
def test_errors_survive_the_way_to_another_process(text: str) -> None:
    error = TaskRejectedError("robot 3", text)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.reason) == (TaskRejectedError, str(error), error.reason)


def test_all_failures_of_tasks_are_caught_by_one_name() -> None:
    errors = (thymio_fleet.TaskRejectedError, thymio_fleet.TaskAbortedError, thymio_fleet.TaskCanceledError)
    assert all(issubclass(error, TaskError) for error in errors)
    assert issubclass(TaskError, thymio_fleet.FleetError)


@pytest.mark.parametrize(
    ("spot", "expected"),
    [
        (Pose2D(1.0, 2.0, 3.0), (1.0, 2.0, 3.0)),
        ((1, 2), (1.0, 2.0, None)),
        ((1.0, 2.0, 0.5), (1.0, 2.0, 0.5)),
    ],
)
def test_a_spot_is_a_pose_or_numbers(
    spot: Pose2D | tuple[float, ...], expected: tuple[float, float, float | None]
) -> None:
    assert pose_of_spot(spot) == expected


@pytest.mark.parametrize("spot", [(1.0,), (1.0, 2.0, 3.0, 4.0), [1.0, 2.0], 1.0, None])
def test_invalid_spot_is_refused_with_the_valid_forms(spot: object) -> None:
    with pytest.raises(TypeError, match=r"is not a place: write a station's name, a Pose2D, \(x_m, y_m\)"):
        pose_of_spot(spot)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulated": 0}, "simulated=0 is not from 1 to 100"),
        ({"simulated": 1, "speed": 0.0}, "speed=0 is not positive"),
    ],
)
def test_a_simulated_fleet_that_cannot_be_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SyncFleet(**options)  # type: ignore[arg-type]
