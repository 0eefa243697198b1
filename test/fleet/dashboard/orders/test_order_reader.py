import json
from typing import Any

import pytest

from fleet.dashboard.orders.fleet_orders import (
    BatteryOrder,
    ChangeJobsOrder,
    FleetOrder,
    JobChange,
    LawOrder,
    LinkOrder,
    PushOrder,
    SimulatedLink,
    SubmitOrder,
    TaskOrder,
    TeleportOrder,
    Verb,
)
from fleet.dashboard.orders.order_reader import OrderReader, read_body
from fleet.dashboard.orders.request_fields import BadRequestError
from fleet.dispatch.records.job import Job
from fleet.geometry import Pose2D
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KIND_NAMES
from fleet.work.work import PathWish, Place, Work

A, B = Pose2D(1.0, 0.5, 0.0), Pose2D(2.0, 0.5, 1.57)


def reader(nearest: int | None = 2) -> OrderReader:
    return OrderReader(lambda: {1, 2, 7}, {"A": Place(A, "A"), "B": Place(B)}.get, lambda _: nearest)


def read(verb: Verb, body: Any) -> list[FleetOrder]:
    return reader().read(verb, body)


def go_to(goal: Pose2D) -> Work:
    return Work(TaskKind.GO_TO, (Place(goal),))


def transport(*places: Place) -> Work:
    return Work(TaskKind.TRANSPORT, places)


def test_several_robots_go_to_poses_of_their_own() -> None:
    body = {"goals": [{"robot": 1, "x_m": 0.9, "y_m": 0.8, "heading_rad": 1.5}, {"robot": 2, "x_m": 1, "y_m": 2}]}
    assert read(Verb.GO_TO, body) == [
        TaskOrder(1, go_to(Pose2D(0.9, 0.8, 1.5))),
        TaskOrder(2, go_to(Pose2D(1.0, 2.0, 0.0)), is_unaimed=True),
    ]


def test_robots_that_are_named_twice_are_sent_once() -> None:
    assert read(Verb.GO_HOME, {"robots": [2, 1.0, 2.0, 1]}) == [
        TaskOrder(2, Work(TaskKind.GO_HOME)),
        TaskOrder(1, Work(TaskKind.GO_HOME)),
    ]


def test_transport_takes_stations_and_poses() -> None:
    body = {"robot": 7, "from": {"station": "A"}, "to": {"x_m": 3.0, "y_m": 1.0}}
    assert read(Verb.TRANSPORT, body) == [TaskOrder(7, transport(Place(A, "A"), Place(Pose2D(3.0, 1.0, 0.0))))]


def test_every_kind_of_task_can_be_asked_for() -> None:
    assert all(reader().has(Verb(kind.public_name)) for kind in TaskKind)


def test_dock_takes_a_charger() -> None:
    body = {"robot": 7, "charger": {"station": "A"}}
    assert read(Verb.DOCK, body) == [TaskOrder(7, Work(TaskKind.DOCK, (Place(A, "A"),)))]


def test_transport_without_a_robot_takes_the_nearest_idle_one() -> None:
    body = {"robot": None, "from": {"station": "A"}, "to": {"station": "B"}}
    assert read(Verb.TRANSPORT, body) == [TaskOrder(2, transport(Place(A, "A"), Place(B)))]
    with pytest.raises(BadRequestError, match="no robot is idle"):
        reader(None).read(Verb.TRANSPORT, body)


def test_job_names_the_stations_that_drivers_know() -> None:
    body = {"kind": "transport", "places": [{"station": "A"}, {"station": "B"}], "robots": [2, 7], "priority": 8}
    places = (Place(A, "A"), Place(B))
    assert read(Verb.SUBMIT, body) == [
        SubmitOrder(Job("", Work(TaskKind.TRANSPORT, places), robots=(2, 7), priority=8))
    ]
    assert read(Verb.SUBMIT, {"kind": "go_home"}) == [SubmitOrder(Job("", Work(TaskKind.GO_HOME)))]


def test_jobs_are_changed_once_each() -> None:
    body = {"jobs": ["one", "other", "one"], "change": "hold"}
    assert read(Verb.CHANGE_JOBS, body) == [ChangeJobsOrder(("one", "other"), JobChange.HOLD)]


@pytest.mark.parametrize(
    ("verb", "body", "problem"),
    [
        (Verb.SUBMIT, {"kind": "dance"}, f"kind is 'dance', not one of {', '.join(KIND_NAMES)}"),
        (
            Verb.SUBMIT,
            {"kind": "transport", "places": [{"station": "A"}]},
            "transport needs 2 places, got 1",
        ),
        (Verb.SUBMIT, {"kind": "go_to", "places": [{"station": "Z"}]}, r"places\[0\]: there is no station 'Z'"),
        (Verb.SUBMIT, {"kind": "go_home", "priority": 10}, "priority is 10, not an integer from 0 to 9"),
        (Verb.CHANGE_JOBS, {"jobs": [7], "change": "hold"}, "jobs must be a list of ids"),
        (Verb.CHANGE_JOBS, {"jobs": ["one"], "change": "eat"}, "change is 'eat', not one of cancel, hold, release"),
    ],
)
def test_wrong_request_for_jobs_is_refused(verb: Verb, body: Any, problem: str) -> None:
    with pytest.raises(BadRequestError, match=problem):
        read(verb, body)


def test_shape_with_a_size_becomes_the_text_of_a_path_file() -> None:
    body = {"robots": [1], "path": "eight", "size_m": 0.3, "speed_mps": 0.05, "laps": 2, "relative_to": "pose"}
    order = read(Verb.FOLLOW_PATH, body)[0]
    assert isinstance(order, TaskOrder)
    path = order.work.path
    assert path is not None
    assert json.loads(path.text) == {"shape": "eight", "size_m": 0.3}
    assert (path.speed_mps, path.laps, path.relative_to) == (0.05, 2, "pose")


def test_rest_of_a_path_is_its_own_by_default() -> None:
    assert read(Verb.FOLLOW_PATH, {"robots": [1], "path": "star"}) == [
        TaskOrder(1, Work(TaskKind.FOLLOW_PATH, path=PathWish("star")))
    ]


def test_law_and_gains_are_read() -> None:
    body = {"robots": [1], "law": "kanayama", "gains": {"kx_per_s": 3}}
    assert read(Verb.LAW, body) == [LawOrder(1, "kanayama", {"kx_per_s": 3.0})]


def test_faults_are_read() -> None:
    assert read(Verb.PUSH, {"robot": 1, "distance_m": 0.1}) == [PushOrder(1, 0.1, 0.0)]
    assert read(Verb.LINK, {"robots": [1], "link": "silent"}) == [LinkOrder(1, SimulatedLink.SILENT)]
    assert read(Verb.BATTERY, {"robots": [1, 2], "charge": 0}) == [BatteryOrder(1, 0.0), BatteryOrder(2, 0.0)]
    assert read(Verb.TELEPORT, {"robot": 1, "x_m": 1, "y_m": 2}) == [TeleportOrder(1, Pose2D(1.0, 2.0, 0.0))]


@pytest.mark.parametrize(
    ("verb", "body", "text"),
    [
        (Verb.GO_TO, [], "the body must be a JSON object"),
        (Verb.GO_TO, {}, "goals is missing"),
        (Verb.GO_TO, {"goals": []}, "goals must be a list of 1 to 100"),
        (Verb.GO_TO, {"goals": ["x"]}, r"goals\[0\] must be a JSON object"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": "1", "y_m": 0}]}, r"goals\[0\].x_m is '1', not a number"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1e9, "y_m": 0}]}, "not a number from -1000 to 1000"),
        (Verb.GO_TO, {"goals": [{"robot": 3, "x_m": 1, "y_m": 0}]}, "there is no robot 3; there are 1, 2, 7"),
        (Verb.GO_TO, {"goals": [{"robot": True, "x_m": 1, "y_m": 0}]}, "robot is True, not an integer"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1, "y_m": 0, "heding_rad": 0}]}, "did you mean 'heading_rad'"),
        (Verb.GO_HOME, {"robots": [[1]]}, "there is no robot"),
        (Verb.GO_HOME, {"robots": ["1"]}, "there is no robot '1'; there are 1, 2, 7"),
        (Verb.GO_HOME, {"robots": [1.5]}, "there is no robot 1.5; there are 1, 2, 7"),
        (Verb.GO_HOME, {"robots": [1], "extra": 1}, "no field 'extra'; known are robots"),
        (Verb.TRANSPORT, {"robot": 1, "from": {"station": "C"}, "to": {"station": "A"}}, "no station 'C'"),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": ""}, "path is ''"),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": "mine", "size_m": 1}, "size_m is for a shape"),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": "a\x00b"}, "not a text"),
        (Verb.LAW, {"robots": [1]}, "law and gains are missing"),
        (Verb.LAW, {"robots": [1], "law": "magic"}, "law is 'magic', not one of .*lqr"),
        (Verb.LAW, {"robots": [1], "gains": {"a": "b"}}, "gains.a is 'b'"),
        (Verb.LINK, {"robots": [1], "link": "cut"}, "link is 'cut', not one of connected"),
        (Verb.BATTERY, {"robots": [1], "charge": 2}, "not a number from 0 to 1"),
    ],
)
def test_wrong_field_is_named_with_its_value(verb: Verb, body: Any, text: str) -> None:
    with pytest.raises(BadRequestError, match=text):
        read(verb, body)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_body_that_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequestError, match="not JSON"):
        read_body(body)


def test_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(BadRequestError, match="NaN is not a number"):
        read_body(b'{"robot": 1, "x_m": NaN, "y_m": 1}')
