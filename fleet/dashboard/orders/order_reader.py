"""Reads orders from the bodies of requests."""

import json
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final, TypeAlias

from fleet.control.tracker_config import LawName
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
from fleet.dashboard.orders.request_fields import BadRequestError, RequestFields
from fleet.dispatch.records.job import USUAL_PRIORITY, Job
from fleet.geometry import Pose2D
from fleet.paths.placement import Placement
from fleet.paths.shape_names import SHAPE_NAMES
from fleet.settings.path_limits import PIECES_MAX, TEXT_MAX
from fleet.tasks.task_kind import HIGHEST_PRIORITY, TaskKind
from fleet.work.kinds import FORMER_NAMES, KIND_NAMES, KINDS, kind_named
from fleet.work.work import PathWish, Place, Work
from thymio_base.errors import TextError
from thymio_base.number_text import count_text
from thymio_base.texts.json_text import read_json

_LARGEST_ID: Final = 65535  # pose frames have two bytes for it
_ROBOTS: Final = 100  # of one request
_FAR_M: Final = 1000.0
_TURN_RAD: Final = 1000.0
_LAPS: Final = PIECES_MAX  # more cannot be driven

_JOBS: Final = 100  # of one request
_LONGEST_JOB_ID: Final = 120

FindStation: TypeAlias = Callable[[str], Place | None]
ChooseRobot: TypeAlias = Callable[[Pose2D], int | None]


class OrderReader:
    """Turns requests into orders.

    Parameters
    ----------
    robot_ids : returns the robots that exist
    station : finds a station by its name; its pose is named if drivers know it, too
    nearest_idle : chooses a robot for a transport that starts at a pose
    """

    def __init__(
        self, robot_ids: Callable[[], Collection[int]], station: FindStation, nearest_idle: ChooseRobot
    ) -> None:
        self._robot_ids = robot_ids
        self._station = station
        self._nearest_idle = nearest_idle
        self._readers: dict[Verb, Callable[[RequestFields], list[FleetOrder]]] = {
            **{Verb(kind.public_name): partial(self._task, kind) for kind in KINDS},
            Verb.GO_TO: self._go_to,
            Verb.SUBMIT: self._submit,
            Verb.CHANGE_JOBS: self._change_jobs,
            Verb.CANCEL: lambda fields: [CancelOrder(robot_id) for robot_id in self.robots(fields)],
            Verb.LAW: self._law,
            Verb.IDENTIFY: lambda fields: [IdentifyOrder(robot_id) for robot_id in self.robots(fields)],
            Verb.PUSH: self._push,
            Verb.LINK: self._link,
            Verb.BATTERY: self._battery,
            Verb.TELEPORT: lambda fields: [TeleportOrder(self._robot(fields), _pose(fields))],
        }

    def read(self, verb: Verb, body: object) -> list[FleetOrder]:
        """Return the orders of a request.

        Raises
        ------
        BadRequestError
            A field is missing, unknown or wrong; the text names it.
        """
        fields = RequestFields(body)
        orders = self._readers[verb](fields)
        fields.finish()
        return orders

    def has(self, verb: Verb) -> bool:
        """Whether a verb asks something of robots."""
        return verb in self._readers

    def robots(self, fields: RequestFields) -> list[int]:
        """Return the robots that a request names."""
        return list(dict.fromkeys(map(self._known, fields.items("robots", _ROBOTS))))

    def _robot(self, fields: RequestFields) -> int:
        return self._known(fields.integer("robot", 1, _LARGEST_ID))

    def _known(self, robot_id: object) -> int:
        known = self._robot_ids()
        if isinstance(robot_id, float) and robot_id.is_integer():
            robot_id = int(robot_id)  # 2.0 is 2: some languages write all numbers so
        if not isinstance(robot_id, int) or isinstance(robot_id, bool) or robot_id not in known:
            listed = ", ".join(map(str, sorted(known))) or "none"
            raise BadRequestError(f"there is no robot {repr(robot_id)[:20]}; there are {listed}")
        return robot_id

    def _go_to(self, fields: RequestFields) -> list[FleetOrder]:
        orders: list[FleetOrder] = []
        for index, item in enumerate(fields.items("goals", _ROBOTS)):
            goal = RequestFields(item, f"goals[{index}]")
            robot_id = self._robot(goal)
            x_m, y_m = goal.number("x_m", -_FAR_M, _FAR_M), goal.number("y_m", -_FAR_M, _FAR_M)
            is_unaimed = not goal.has("heading_rad")
            heading_rad = goal.number("heading_rad", -_TURN_RAD, _TURN_RAD, 0.0)
            goal.finish()
            work = Work(TaskKind.GO_TO, (Place(Pose2D(x_m, y_m, heading_rad)),))
            orders.append(TaskOrder(robot_id, work, is_unaimed))
        return orders

    def _task(self, kind: TaskKind, fields: RequestFields) -> list[FleetOrder]:
        """Return the orders to do a kind of task: with places by one robot, else by several."""
        if KINDS[kind].places:
            return self._task_at_places(kind, fields)
        robots, work = self.robots(fields), Work(kind, path=self._path(fields) if KINDS[kind].has_path else None)
        return [TaskOrder(robot_id, work) for robot_id in robots]

    def _task_at_places(self, kind: TaskKind, fields: RequestFields) -> list[FleetOrder]:
        places = tuple(self._place(fields.within(key), key) for key in KINDS[kind].places)
        robot_id = self._robot(fields) if fields.has("robot") else self._nearest_idle(places[0].pose)
        if robot_id is None:
            raise BadRequestError("no robot is idle; wait, or name one in `robot`")
        return [TaskOrder(robot_id, Work(kind, places))]

    def _place(self, place: RequestFields, key: str) -> Place:
        if not place.has("station"):
            found = Place(_pose(place))
        else:
            name = place.text("station", 40)
            station = self._station(name)
            if station is None:
                raise BadRequestError(f"{key}: there is no station {name!r}")
            found = station
        place.finish()
        return found

    def _submit(self, fields: RequestFields) -> list[FleetOrder]:
        work = self._work(fields)
        robots = tuple(self.robots(fields)) if fields.has("robots") else ()
        job_id = fields.text("id", _LONGEST_JOB_ID, "")
        priority = fields.integer("priority", 0, HIGHEST_PRIORITY, USUAL_PRIORITY)
        return [SubmitOrder(Job(job_id, work, robots, priority))]

    def _work(self, fields: RequestFields) -> Work:
        name = fields.choice("kind", list(KIND_NAMES), former=FORMER_NAMES)
        kind = kind_named(name)
        assert kind is not None, name
        count = len(KINDS[kind].places)
        items = fields.items("places", 2) if fields.has("places") else []
        if len(items) != count:
            raise BadRequestError(f"{name} needs {count_text(count, 'place')}, got {len(items)}")
        keys = [f"places[{index}]" for index in range(count)]
        places = tuple(self._place(RequestFields(item, key), key) for item, key in zip(items, keys, strict=True))
        return Work(kind, places, self._path(fields) if KINDS[kind].has_path else None)

    def _change_jobs(self, fields: RequestFields) -> list[FleetOrder]:
        job_ids = fields.items("jobs", _JOBS)
        if not all(isinstance(job_id, str) and 0 < len(job_id) <= _LONGEST_JOB_ID for job_id in job_ids):
            raise BadRequestError(f"jobs must be a list of ids with 1 to {_LONGEST_JOB_ID} characters")
        change = JobChange(fields.choice("change", [change.value for change in JobChange]))
        return [ChangeJobsOrder(tuple(dict.fromkeys(job_ids)), change)]

    def _path(self, fields: RequestFields) -> PathWish:
        path = fields.text("path", TEXT_MAX)
        if fields.has("size_m"):
            size_m = fields.number("size_m", 0.01, 100.0)
            if path not in SHAPE_NAMES:
                raise BadRequestError(f"size_m is for a shape: path must be one of {', '.join(SHAPE_NAMES)}")
            path = json.dumps({"shape": path, "size_m": size_m})  # JSON is YAML
        speed_mps = fields.number("speed_mps", 0.0, 1.0, 0.0)
        laps = fields.integer("laps", 0, _LAPS, 0)
        relative_to = fields.choice("relative_to", [placement.value for placement in Placement], "")
        return PathWish(path, speed_mps, laps, relative_to)

    def _law(self, fields: RequestFields) -> list[FleetOrder]:
        robots = self.robots(fields)
        law = fields.choice("law", [law.value for law in LawName], "")
        gains = RequestFields(fields.table("gains"), "gains")
        numbers = {str(key): gains.number(key, -1e6, 1e6) for key in fields.table("gains")}
        if not law and not numbers:
            raise BadRequestError("law and gains are missing; one of them is needed")
        return [LawOrder(robot_id, law, numbers) for robot_id in robots]

    def _push(self, fields: RequestFields) -> list[FleetOrder]:
        heading_rad = fields.number("heading_rad", -_TURN_RAD, _TURN_RAD, 0.0)
        return [PushOrder(self._robot(fields), fields.number("distance_m", -1.0, 1.0), heading_rad)]

    def _link(self, fields: RequestFields) -> list[FleetOrder]:
        link = SimulatedLink(fields.choice("link", [link.value for link in SimulatedLink]))
        return [LinkOrder(robot_id, link) for robot_id in self.robots(fields)]

    def _battery(self, fields: RequestFields) -> list[FleetOrder]:
        charge = fields.number("charge", 0.0, 1.0)
        return [BatteryOrder(robot_id, charge) for robot_id in self.robots(fields)]


def _pose(fields: RequestFields) -> Pose2D:
    x_m, y_m = fields.number("x_m", -_FAR_M, _FAR_M), fields.number("y_m", -_FAR_M, _FAR_M)
    return Pose2D(x_m, y_m, fields.number("heading_rad", -_TURN_RAD, _TURN_RAD, 0.0))


def read_body(body: bytes) -> Any:
    """Return a body as JSON.

    Raises
    ------
    BadRequestError
        It is none, or nested too deeply.
    """
    try:
        return read_json(body or b"{}")
    except TextError as error:
        raise BadRequestError(f"the body is not JSON: {error}") from error
