"""Readers of the wire, scripts, bodies, orders, messages and spawn descriptions, with valid requests to start from."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from geometry_msgs.msg import Pose, PoseStamped, Twist
from numpy.random import Generator
from thymio_fleet_interfaces.action import FollowPath
from thymio_fleet_interfaces.msg import Driver, Job, KnownWays, Places, RobotTask, SharedWays
from thymio_msgs.msg import Led, LedGesture, Sound, SystemSound

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.program import parse_program
from aseba_link.errors import InvalidValueError, MessageError, ScriptError
from aseba_link.wire import description as wire
from aseba_link.wire.message import Message, MessageType, encode
from aseba_link.wire.stream import MessageStream
from bench.doors.reader_doors import Attempt, ReaderDoor
from bench.doors.requests.messages import Messages
from bench.doors.requests.odd_values import changed, changed_bytes, changed_text, odd_float, pick
from bench.doors.requests.words import SCRIPT, WORDS, description_text, page_body
from body.description.urdf_reader import read_urdf
from body.errors import BodyError
from body.kinematics.layout import BodyLayout
from body.ros.body_conversions import pose_from_ros as body_pose_from_ros
from body.ros.message_types import RosMessageTypes
from fleet.dashboard.orders.fleet_orders import Verb
from fleet.dashboard.orders.order_reader import OrderReader
from fleet.dashboard.orders.request_check import read_body
from fleet.dashboard.orders.request_errors import BadRequestError, ConflictError, NotFoundError
from fleet.errors import FleetError
from fleet.geometry import Pose2D
from fleet.hosts.known_fleet import known_fleet_from_bytes
from fleet.hosts.local_drivers import driver_from
from fleet.interface.announcements import announcement_from_ros
from fleet.interface.conversions import pose_from_ros
from fleet.interface.job_messages import job_from_ros
from fleet.interface.station_messages import places_from_ros
from fleet.interface.task_messages import task_from_ros
from fleet.interface.ways_messages import known_from_ros, ways_from_ros
from fleet.interface.work_messages import work_from_goal
from fleet.ros.thymio_topics import command_messages
from fleet.tasks.task_kind import TaskKind
from fleet.work.path_wish import path_of_work
from fleet.work.work import Place
from simulator.firmware.thymio import thymio_description
from simulator.ros.place_messages import place_from_ros
from simulator.simulation.pace import Pace
from simulator.simulation.refusal import RefusedError
from simulator.simulation.simulation import Simulation
from simulator.simulation.simulation_control import Control, State
from simulator.simulation.spawning import KINDS, SpawnRequest, spawn
from simulator.world.config import build_world

_BODIES: Final = Path(__file__).parents[2] / "examples" / "bodies"
_SCRIPT_FILE: Final = Path(__file__).parents[2] / "aseba_link" / "thymio" / "thymio.aesl"
_STATION: Final = Place(Pose2D(1.0, 1.0, 0.0), "A")
_CODE: Final = """var i
var a[4] = [1, 2, 3, 4]
timer.period[0] = 100
onevent timer0
    if abs(a[i % 4]) > 2 and not (i == 3) then
        motor.left.target = a[1] * 2 - 5
        callsub drive
    elseif i >= SPEED then
        i = -32768
    end
    for i in 0:3 do
        a[i] = a[i] + 1
    end
    while i < 10 do i++ end
    emit beep [i, a[0]]
sub drive
    call math.fill(a, 7)
    when button.center == 1 do i = 0 end
"""
_CROWD: Final = 20  # requests to each world
_KNOWN: Final = {
    "driver": ["host", "node", "token"],
    "network": "",
    "is_settled": True,
    "serves": [1],
    "waits_for": [],
    "knows": [],
    "foreign_ids": [],
    "robots": [[1, 0, "idle", {"state": "idle"}, [0.1, 0.2, 0.3], 0.5]],
}


def reader_doors(seed: int) -> list[ReaderDoor]:
    """Return the doors of readers that do not need files."""
    return [
        ReaderDoor("wire", seed, _wire_request(), (MessageError,)),
        ReaderDoor("scripts", seed, _script_request(), (ScriptError,)),
        ReaderDoor("bodies", seed, _body_request(), (BodyError,)),
        ReaderDoor("orders", seed, _order_request(), (BadRequestError, ConflictError, NotFoundError)),
        ReaderDoor("messages", seed, _message_request(), (FleetError, InvalidValueError, RefusedError, BodyError)),
        ReaderDoor("local answers", seed, _answer_request, ()),
        ReaderDoor("spawning", seed, _SpawnRequests(), (RefusedError,)),
    ]


def _wire_request() -> Callable[[Generator], tuple[object, Attempt]]:
    messages = wire.encode_description(1, thymio_description())
    decoders = (wire.decode_header, wire.decode_variable, wire.decode_local_event, wire.decode_native_function)

    def make(chance: Generator) -> tuple[object, Attempt]:
        message = pick(chance, messages)
        payload = changed_bytes(message.payload, chance)[:516]
        kind = pick(chance, list(MessageType)) if chance.random() < 0.5 else message.type
        sent = Message(message.source, kind, payload)
        data = encode(sent) if chance.random() < 0.5 else changed_bytes(encode(sent), chance)
        decode = decoders[message.type - MessageType.DESCRIPTION]
        return (sent, data), lambda: _read_wire(sent, data, decode)

    return make


def _read_wire(message: Message, data: bytes, decode: Callable[[Message], Any]) -> bool:
    stream = MessageStream()
    for found in stream.feed(data):
        found.words()
        found.unsigned_words()
        encode(found)
    decode(message)
    return True


def _script_request() -> Callable[[Generator], tuple[object, Attempt]]:
    whole = _SCRIPT_FILE.read_text(encoding="utf-8")
    description = thymio_description()

    def make(chance: Generator) -> tuple[object, Attempt]:
        kind = chance.random()
        if kind < 0.6:
            code = changed_text(_CODE, chance)
            return code, lambda: bool(compile_code(code, (), {"SPEED": 3}, description))
        data = changed_text(SCRIPT if kind < 0.95 else whole, chance).encode("utf-8", "surrogatepass")
        data = changed_bytes(data, chance) if chance.random() < 0.2 else data
        return data, lambda: bool(parse_program("script", data, {}))

    return make


def _body_request() -> Callable[[Generator], tuple[object, Attempt]]:
    texts = [file.read_text(encoding="utf-8") for file in sorted(_BODIES.glob("*.urdf"))]

    def make(chance: Generator) -> tuple[object, Attempt]:
        text = changed_text(pick(chance, texts), chance)
        text = changed_text(text, chance) if chance.random() < 0.2 else text
        return text, lambda: _read_body(text)

    return make


def _read_body(text: str) -> bool:
    layout = BodyLayout(read_urdf(text, RosMessageTypes()))
    return bool(layout.init.shape and layout.lower.shape and layout.upper.shape)


def _order_request() -> Callable[[Generator], tuple[object, Attempt]]:
    reader = OrderReader(lambda: (1, 2, 3, 4), lambda name: _STATION if name == "A" else None, lambda _: 1)
    verbs = [verb for verb in Verb if reader.has(verb)]

    def make(chance: Generator) -> tuple[object, Attempt]:
        verb = pick(chance, verbs)
        body = page_body(verb.value, chance)
        text = json.dumps(changed(body, chance) if chance.random() < 0.9 else body, ensure_ascii=False, default=str)
        data = text.encode("utf-8", "surrogatepass")
        data = changed_bytes(data, chance) if chance.random() < 0.1 else data
        return (verb.value, data), lambda: bool(reader.read(verb, read_body(data)))

    return make


def _message_request() -> Callable[[Generator], tuple[object, Attempt]]:
    messages = Messages(WORDS)
    stations = {"A": Pose2D(1.0, 1.0, 0.0)}
    readers: list[tuple[Any, Callable[[Any], Any]]] = [
        (PoseStamped, partial(pose_from_ros, frame="map")),
        (FollowPath.Goal, lambda goal: path_of_work(work_from_goal(TaskKind.FOLLOW_PATH, goal, "map"))),
        (Job, partial(job_from_ros, stations=stations)),
        (Driver, announcement_from_ros),
        (Places, places_from_ros),
        (RobotTask, task_from_ros),
        (SharedWays, ways_from_ros),
        (KnownWays, known_from_ros),
        (Twist, command_messages.twist_from_ros),
        (Led, command_messages.led_from_ros),
        (LedGesture, command_messages.gesture_from_ros),
        (Sound, command_messages.sound_from_ros),
        (SystemSound, command_messages.system_sound_from_ros),
        (Pose, partial(place_from_ros, "map")),
        (Pose, body_pose_from_ros),
    ]

    def make(chance: Generator) -> tuple[object, Attempt]:
        message_type, read = pick(chance, readers)
        message = messages.bad(message_type, chance)
        return message, lambda: read(message) is not False

    return make


def _answer_request(chance: Generator) -> tuple[object, Attempt]:
    """Make an answer of a driver on this host for its readers, which return None for anything invalid."""
    data = json.dumps(changed(_KNOWN, chance), default=str).encode()
    data = changed_bytes(data, chance) if chance.random() < 0.2 else data
    return data, lambda: known_fleet_from_bytes(data) is not None and driver_from(data) is not None


class _SpawnRequests:
    """Makes requests to add entities to a small world, which is replaced when full."""

    def __init__(self) -> None:
        self._control = self._fresh()
        self._spawned = 0

    def __call__(self, chance: Generator) -> tuple[object, Attempt]:
        """Make a request."""
        place = (chance.uniform(0.2, 2.8), chance.uniform(0.2, 1.8), 0.5)
        if chance.random() < 0.2:
            place = (odd_float(chance), odd_float(chance), odd_float(chance))
        kind = pick(chance, KINDS)
        name = pick(chance, ("crate", "", "thymio_7", "box_1", "é", "thymio_99999"))
        request = SpawnRequest(kind, name, bool(chance.random() < 0.5), place, description_text(chance))
        return request, partial(self._spawn, request)

    def _spawn(self, request: SpawnRequest) -> bool:
        control = self._control
        self._control = self._fresh() if self._spawned % _CROWD == 0 else control
        self._spawned += 1
        try:
            spawn(control, request)
            control.advance()
        except RefusedError:
            raise
        except Exception:
            self._control = self._fresh()  # the world may be unusable by now
            raise
        return True

    @staticmethod
    def _fresh() -> Control:
        world = build_world(
            {"arena": {"width_m": 3.0, "height_m": 2.0}, "robots": [{"node_id": 1, "x_m": 1, "y_m": 1}]}
        )
        return Control(Simulation(world), Pace(0.01, 1.0, 0), State.PAUSED)
