import json
from typing import Any

import jsonschema
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
from fleet.dashboard.orders.order_reader import OrderReader
from fleet.dashboard.orders.request_check import read_body
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError
from fleet.dashboard.orders.request_schemas import request_schema
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


def test_route_has_legs_to_places_and_stations() -> None:
    order = read(Verb.FOLLOW_ROUTE, {"robots": [1], "route": "1,2 A wait:2"})[0]
    assert isinstance(order, TaskOrder)
    assert [leg.points_m for leg in order.work.route] == [((1.0, 2.0),), ((A.x_m, A.y_m),), ()]
    with pytest.raises(NotFoundError, match="leg 0, 'nowhere'"):
        read(Verb.FOLLOW_ROUTE, {"robots": [1], "route": "nowhere"})


def test_transport_without_a_robot_takes_the_nearest_idle_robot() -> None:
    body = {"robot": None, "from": {"station": "A"}, "to": {"station": "B"}}
    assert read(Verb.TRANSPORT, body) == [TaskOrder(2, transport(Place(A, "A"), Place(B)))]
    with pytest.raises(ConflictError, match="no robot is idle"):
        reader(None).read(Verb.TRANSPORT, body)


def test_job_names_the_stations_that_drivers_know() -> None:
    body = {
        "kind": "transport",
        "places": [{"station": "A"}, {"station": "B"}],
        "robots": [2, 7],
        "priority": 8,
        "id": "a",
    }
    places = (Place(A, "A"), Place(B))
    assert read(Verb.SUBMIT, body) == [
        SubmitOrder(Job("a", Work(TaskKind.TRANSPORT, places), robots=(2, 7), priority=8))
    ]


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        (Verb.GO_HOME, {"robots": [2.0]}),
        (Verb.TRANSPORT, {"robot": 2.0, "from": {"station": "A"}, "to": {"station": "B"}}),
    ],
)
def test_whole_number_is_an_integer_however_it_is_written(verb: Verb, body: dict[str, Any]) -> None:
    (order,) = read(verb, body)
    assert isinstance(order, TaskOrder)
    assert repr(order.robot_id) == "2"


def test_job_without_an_id_gets_a_new_one() -> None:
    (first,), (second,) = (read(Verb.SUBMIT, {"kind": "go_home"}) for _ in range(2))
    assert isinstance(first, SubmitOrder)
    assert first.job.job_id.startswith("go_home-")
    assert first != second


def test_jobs_are_changed_once_each() -> None:
    body = {"jobs": ["one", "other", "one"], "change": "hold"}
    assert read(Verb.CHANGE_JOBS, body) == [ChangeJobsOrder(("one", "other"), JobChange.HOLD)]


@pytest.mark.parametrize(
    ("verb", "body", "problem"),
    [
        (Verb.SUBMIT, {"kind": "dance"}, f"does not fit: kind must be one of {', '.join(KIND_NAMES)}"),
        (Verb.SUBMIT, {"kind": "transport", "places": [{"station": "A"}]}, r"places: .* has 1 item; at least 2"),
        (Verb.SUBMIT, {"kind": "go_to"}, "key 'places' is missing"),
        (Verb.SUBMIT, {"kind": "go_home", "priority": 10}, "priority: 10 is greater than the maximum of 9"),
        (Verb.CHANGE_JOBS, {"jobs": [7], "change": "hold"}, r"jobs\[0\]: 7 is not of type 'string'"),
        (
            Verb.CHANGE_JOBS,
            {"jobs": ["one"], "change": "eat"},
            "change: 'eat' is unknown; known: cancel, hold, release",
        ),
    ],
)
def test_wrong_request_for_jobs_is_refused(verb: Verb, body: Any, problem: str) -> None:
    with pytest.raises(BadRequestError, match=problem):
        read(verb, body)


def test_shape_with_a_size_is_written_as_a_path_file() -> None:
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
        (Verb.GO_TO, [], "the body: .* is not of type 'object'"),
        (Verb.GO_TO, {}, "key 'goals' is missing"),
        (Verb.GO_TO, {"goals": []}, r"goals: \[\] should be non-empty"),
        (Verb.GO_TO, {"goals": ["x"]}, r"goals\[0\]: 'x' is not of type 'object'"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": "1", "y_m": 0}]}, r"goals\[0\].x_m: '1' is not of type 'number'"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1e9, "y_m": 0}]}, "x_m: .* greater than the maximum of 1000"),
        (Verb.GO_TO, {"goals": [{"robot": True, "x_m": 1, "y_m": 0}]}, "robot: True is not of type 'integer'"),
        (Verb.GO_TO, {"goals": [{"robot": 1, "x_m": 1, "y_m": 0, "heding_rad": 0}]}, "did you mean 'heading_rad'"),
        (Verb.GO_HOME, {"robots": [[1]]}, r"robots\[0\]: \[1\] is not of type 'integer'"),
        (Verb.GO_HOME, {"robots": ["1"]}, r"robots\[0\]: '1' is not of type 'integer'"),
        (Verb.GO_HOME, {"robots": [1.5]}, r"robots\[0\]: 1.5 is not of type 'integer'"),
        (Verb.GO_HOME, {"robots": [1], "extra": 1}, "extra: unknown key; known: robots"),
        (Verb.TRANSPORT, {"from": {"x_m": "1", "y_m": 0}, "to": {"station": "A"}}, "from.x_m: .1. is not of type"),
        (Verb.TRANSPORT, {"from": {}, "to": {"station": "A"}}, r"from: \{\} does not fit: a place is"),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": ""}, "path: '' "),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": "mine", "size_m": 1}, "path: .*size_m is for a shape"),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": "a\x00b"}, "path: "),
        (Verb.FOLLOW_PATH, {"robots": [1], "path": "x" * 5001}, "has 5001 characters; at most 5000"),
        (Verb.SUBMIT, {"kind": "go_home", "id": "a\u202eb"}, r"id: it has '\\u202e', which cannot be printed"),
        (Verb.LAW, {"robots": [1]}, "law or gains are needed"),
        (Verb.LAW, {"robots": [1], "law": "magic"}, "law: 'magic' is unknown; known: .*lqr"),
        (Verb.LAW, {"robots": [1], "gains": {"a": "b"}}, "gains.a: 'b' is not"),
        (Verb.LINK, {"robots": [1], "link": "cut"}, "link: 'cut' is unknown; known: connected"),
        (Verb.BATTERY, {"robots": [1], "charge": 2}, "charge: 2 is greater than the maximum of 1"),
    ],
)
def test_wrong_field_is_named_with_its_value(verb: Verb, body: Any, text: str) -> None:
    with pytest.raises(BadRequestError, match=text):
        read(verb, body)


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(BadRequestError) as caught:
        read(Verb.GO_TO, {"goals": [{"robot": "1", "x_m": 2000, "y_m": 0}, {"robot": 1, "y_m": 0, "z_m": 0}]})
    assert {problem.field for problem in caught.value.problems} == {
        "goals[0].robot",
        "goals[0].x_m",
        "goals[1]",
        "goals[1].z_m",
    }


def test_all_unknown_names_are_reported_at_once() -> None:
    body = {"kind": "transport", "places": [{"station": "X"}, {"station": "A"}], "robots": [1, 3, 9]}
    with pytest.raises(NotFoundError) as caught:
        read(Verb.SUBMIT, body)
    assert [str(problem) for problem in caught.value.problems] == [
        "robots[1]: there is no robot 3; there are 1, 2, 7",
        "robots[2]: there is no robot 9; there are 1, 2, 7",
        "places[0]: there is no station 'X'",
    ]
    with pytest.raises(NotFoundError, match=r"goals\[0\].robot: there is no robot 3"):
        read(Verb.GO_TO, {"goals": [{"robot": 3, "x_m": 1, "y_m": 0}]})


def test_every_verb_has_a_valid_schema() -> None:
    for verb in Verb:
        jsonschema.Draft202012Validator.check_schema(request_schema(verb))


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000])
def test_body_that_is_not_json_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequestError, match="not JSON"):
        read_body(body)


def test_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(BadRequestError, match="NaN is not a number"):
        read_body(b'{"robot": 1, "x_m": NaN, "y_m": 1}')
