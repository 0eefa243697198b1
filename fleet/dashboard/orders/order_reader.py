"""Reads orders from request bodies."""

import json
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from fleet.dashboard.orders.fleet_orders import (
    BatteryOrder,
    CancelOrder,
    ChangeJobsOrder,
    FleetOrder,
    IdentifyOrder,
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
from fleet.dashboard.orders.request_check import checked_request
from fleet.dashboard.orders.request_errors import ConflictError, NotFoundError, RequestProblem
from fleet.dispatch.records.job import USUAL_PRIORITY, Job
from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.tasks.route import RouteLeg
from fleet.tasks.task_kind import TaskKind
from fleet.work.kinds import KINDS, kind_named
from fleet.work.route_text import route_of_text
from fleet.work.work import PathWish, Place, Work

FindStation: TypeAlias = Callable[[str], Place | None]
ChooseRobot: TypeAlias = Callable[[Pose2D], int | None]
Fields: TypeAlias = Mapping[str, Any]


class OrderReader:
    """Turns requests into orders.

    Parameters
    ----------
    robot_ids : returns the IDs of all robots
    station : finds a station by name; its place keeps the name if drivers know it too
    nearest_idle : chooses a robot for a transport that starts at this pose
    """

    def __init__(
        self, robot_ids: Callable[[], Collection[int]], station: FindStation, nearest_idle: ChooseRobot
    ) -> None:
        self._robot_ids = robot_ids
        self._station = station
        self._nearest_idle = nearest_idle
        self._readers: dict[Verb, Callable[[Fields], list[FleetOrder]]] = {
            **{Verb(kind.public_name): partial(self._task, kind) for kind in KINDS},
            Verb.GO_TO: _go_to,
            Verb.SUBMIT: self._submit,
            Verb.CHANGE_JOBS: _change_jobs,
            Verb.CANCEL: lambda fields: [CancelOrder(robot_id) for robot_id in robots_of(fields)],
            Verb.LAW: _law,
            Verb.IDENTIFY: lambda fields: [IdentifyOrder(robot_id) for robot_id in robots_of(fields)],
            Verb.PUSH: lambda fields: [PushOrder(fields["robot"], fields["distance_m"], fields["heading_rad"])],
            Verb.LINK: _link,
            Verb.BATTERY: lambda fields: [BatteryOrder(robot_id, fields["charge"]) for robot_id in robots_of(fields)],
            Verb.TELEPORT: lambda fields: [TeleportOrder(fields["robot"], _pose(fields))],
        }

    def read(self, verb: Verb, body: object) -> list[FleetOrder]:
        """Return the orders of a request.

        Raises
        ------
        BadRequestError
            The body does not fit the schema of the verb.
        NotFoundError
            It names robots or stations that do not exist; the message lists all of them.
        ConflictError
            It names no robot, and none is idle.
        """
        return self._readers[verb](self.fields(verb, body))

    def fields(self, verb: Verb, body: object) -> dict[str, Any]:
        """Return the checked fields of a request; every robot and station in them exists."""
        fields = checked_request(verb, _with_public_names(verb, body))
        unknown = [*self._unknown_robots(fields), *self._unknown_stations(fields)]
        if unknown:
            raise NotFoundError(unknown)
        return fields

    def has(self, verb: Verb) -> bool:
        """Whether a verb is an order, which this reads."""
        return verb in self._readers

    def _unknown_robots(self, fields: Fields) -> Iterable[RequestProblem]:
        named = [("robot", fields.get("robot"))]
        named += [(f"robots[{index}]", robot_id) for index, robot_id in enumerate(fields.get("robots", ()))]
        named += [(f"goals[{index}].robot", goal["robot"]) for index, goal in enumerate(fields.get("goals", ()))]
        known = self._robot_ids()
        for place, robot_id in named:
            if robot_id is not None and robot_id not in known:
                listed = ", ".join(map(str, sorted(known))) or "none"
                yield RequestProblem(place, f"there is no robot {robot_id}; there are {listed}")

    def _unknown_stations(self, fields: Fields) -> Iterable[RequestProblem]:
        named = [(key, value) for key, value in fields.items() if isinstance(value, dict)]
        named += [(f"places[{index}]", place) for index, place in enumerate(fields.get("places", ()))]
        for place, value in named:
            if "station" in value and self._station(value["station"]) is None:
                yield RequestProblem(place, f"there is no station {value['station']!r}")

    def _task(self, kind: TaskKind, fields: Fields) -> list[FleetOrder]:
        """Return the orders for a kind of task: with places for a single robot, else for several."""
        if KINDS[kind].places:
            return self._task_at_places(kind, fields)
        work = Work(kind, path=_path(fields) if KINDS[kind].has_path else None, route=self._route(kind, fields))
        return [TaskOrder(robot_id, work) for robot_id in robots_of(fields)]

    def _route(self, kind: TaskKind, fields: Fields) -> tuple[RouteLeg, ...]:
        """Return the legs of a route; none for other kinds."""
        if not KINDS[kind].has_route:
            return ()
        try:
            return route_of_text(fields["route"], self._station_pose)
        except GoalRejectedError as error:
            raise NotFoundError([RequestProblem("route", error.explanation.detail)]) from None

    def _station_pose(self, name: str) -> Pose2D | None:
        station = self._station(name)
        return None if station is None else station.pose

    def _task_at_places(self, kind: TaskKind, fields: Fields) -> list[FleetOrder]:
        places = tuple(self._place(fields[key]) for key in KINDS[kind].places)
        robot_id = fields.get("robot") or self._nearest_idle(places[0].pose)
        if robot_id is None:
            raise ConflictError("no robot is idle; wait, or name one in `robot`")
        return [TaskOrder(robot_id, Work(kind, places))]

    def _place(self, place: Fields) -> Place:
        station = self._station(place["station"]) if "station" in place else Place(_pose(place))
        assert station is not None, place
        return station

    def _submit(self, fields: Fields) -> list[FleetOrder]:
        kind = kind_named(fields["kind"])
        assert kind is not None, fields
        places = tuple(map(self._place, fields.get("places", ())))
        path = _path(fields) if KINDS[kind].has_path else None
        work = Work(kind, places, path, self._route(kind, fields))
        robots, priority = tuple(robots_of(fields)), fields.get("priority", USUAL_PRIORITY)
        job_id = fields.get("id") or f"{kind.public_name}-{uuid.uuid4().hex[:8]}"
        return [SubmitOrder(Job(job_id, work, robots, priority))]


def robots_of(fields: Fields) -> list[int]:
    """Return the robots that a request names, without repetition."""
    return list(dict.fromkeys(fields.get("robots", ())))


def _with_public_names(verb: Verb, body: object) -> object:
    """Return a body with a kind's former name replaced by its present one."""
    if verb is Verb.SUBMIT and isinstance(body, dict) and isinstance(body.get("kind"), str):
        kind = kind_named(body["kind"])
        return body if kind is None else {**body, "kind": kind.public_name}
    return body


def _go_to(fields: Fields) -> list[FleetOrder]:
    orders: list[FleetOrder] = []
    for goal in fields["goals"]:
        heading_rad = goal.get("heading_rad")
        pose = Pose2D(goal["x_m"], goal["y_m"], 0.0 if heading_rad is None else float(heading_rad))
        orders.append(TaskOrder(goal["robot"], Work(TaskKind.GO_TO, (Place(pose),)), is_unaimed=heading_rad is None))
    return orders


def _change_jobs(fields: Fields) -> list[FleetOrder]:
    return [ChangeJobsOrder(tuple(dict.fromkeys(fields["jobs"])), JobChange(fields["change"]))]


def _law(fields: Fields) -> list[FleetOrder]:
    gains = {key: float(gain) for key, gain in fields.get("gains", {}).items()}
    return [LawOrder(robot_id, fields.get("law", ""), gains) for robot_id in robots_of(fields)]


def _link(fields: Fields) -> list[FleetOrder]:
    return [LinkOrder(robot_id, SimulatedLink(fields["link"])) for robot_id in robots_of(fields)]


def _path(fields: Fields) -> PathWish:
    path = fields["path"]
    if "size_m" in fields:
        path = json.dumps({"shape": path, "size_m": fields["size_m"]})  # JSON is YAML
    return PathWish(path, fields["speed_mps"], fields["laps"], fields.get("relative_to", ""))


def _pose(fields: Fields) -> Pose2D:
    return Pose2D(fields["x_m"], fields["y_m"], fields["heading_rad"])
