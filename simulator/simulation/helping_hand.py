"""A simulated hand beside the robots that does what the bring-up asks for, like a person following its requests."""

import math
from collections.abc import Callable
from typing import Final, assert_never

from aseba_link.errors import ConnectionLostError
from aseba_link.link.connection import Connection, pipe
from aseba_link.thymio.hand_request import HAND, HandAction, HandRequest, Sight, decode_hand_request
from aseba_link.wire.message import Message
from aseba_link.wire.stream import MessageStream
from simulator.firmware.body import BUTTONS
from simulator.firmware.hand_touch import CLAP_RAW, G_RAW, HandTouch
from simulator.firmware.peripherals import TICK_S
from simulator.firmware.thymio import Thymio
from simulator.network.faulty_line import SOUND_LINE
from simulator.simulation.simulation import Simulation

_REACTION_S: Final = 0.5
_UNPLUGGED_S: Final = 5.0
_TURNS_MPS: Final = 0.005
_GREEN: Final = (0, 32, 0)
_YES, _NO = BUTTONS.index("forward"), BUTTONS.index("backward")
_HELD: Final = (HandAction.LIFT, HandAction.NOSE_UP, HandAction.LEFT_UP, HandAction.COVER_GROUND)


class HelpingHand:
    """Watches the network for requests and carries them out; call `step` after each step of the simulation.

    Parameters
    ----------
    simulation : the robots and their world
    say : prints what a ruler shows when the bring-up asks for a measurement
    """

    def __init__(self, simulation: Simulation, say: Callable[[str], None]) -> None:
        self._simulation = simulation
        self._say = say
        self._stream = MessageStream()
        self._due: list[tuple[float, HandRequest]] = []
        self._gains: dict[Thymio, tuple[float, float]] = {}
        self._places: dict[int, tuple[float, float, float]] = {}
        self._plug_at_s: dict[int, float] = {}
        self._time_s = 0.0
        self._connection = self._attached()

    def step(self) -> None:
        """Read requests, and carry out those that are due."""
        self._time_s += TICK_S
        try:
            data = self._connection.receive()
        except ConnectionLostError:  # the simulation was restarted
            self._connection, self._stream, data = self._attached(), MessageStream(), b""
        for message in self._stream.feed(data):
            self._note(message)
        for node_id in [node_id for node_id, at_s in self._plug_at_s.items() if at_s <= self._time_s]:
            del self._plug_at_s[node_id]
            self._simulation.network.join(node_id)
        while self._due and self._due[0][0] <= self._time_s:
            self._act(self._due.pop(0)[1])

    def _attached(self) -> Connection:
        """Return a connection to the network that receives all messages."""
        near, far = pipe()
        self._simulation.network.attach(far, "a hand", line=SOUND_LINE)
        return near

    def _note(self, message: Message) -> None:
        request = decode_hand_request(message.words()) if message.type == HAND else None
        if request is not None and request.node_id in self._simulation.node_ids:
            self._due.append((self._time_s + _REACTION_S, request))

    def _act(self, request: HandRequest) -> None:
        if request.node_id not in self._simulation.node_ids:
            return
        index = self._simulation.node_ids.index(request.node_id)
        robot = self._simulation.robots[index]
        match request.action:
            case HandAction.MEASURE:
                self._measure(request.node_id)
            case HandAction.UNPLUG:
                self._simulation.network.cut_off(request.node_id)
                self._plug_at_s[request.node_id] = self._time_s + _UNPLUGGED_S
            case (
                HandAction.AWAY
                | HandAction.LIFT
                | HandAction.COVER
                | HandAction.PRESS
                | HandAction.NOSE_UP
                | HandAction.LEFT_UP
                | HandAction.CLAP
                | HandAction.COVER_GROUND
                | HandAction.LOOK
            ):
                self._handle(request, index, robot)
            case _:
                assert_never(request.action)

    def _handle(self, request: HandRequest, index: int, robot: Thymio) -> None:
        touch = self._touch(request, index, robot)
        self._simulation.touches[robot] = touch
        robot.body.touch(touch.buttons(len(BUTTONS)))
        robot.body.loudness_raw = CLAP_RAW if touch.is_clapping else 0
        self._hold(robot, index, is_held=touch.is_lifted)
        if request.action is HandAction.AWAY:
            self._places[request.node_id] = self._simulation.pose(request.node_id)

    def _touch(self, request: HandRequest, index: int, robot: Thymio) -> HandTouch:
        action = request.action
        was_lifted = self._simulation.touches.get(robot, HandTouch()).is_lifted
        touch = HandTouch(is_lifted=action in _HELD or (action is HandAction.LOOK and was_lifted))
        match action:
            case HandAction.COVER:
                touch.covered = request.index
            case HandAction.PRESS:
                touch.pressed = request.index
            case HandAction.NOSE_UP:
                touch.acceleration_raw = (0, G_RAW, 0)
            case HandAction.LEFT_UP:
                touch.acceleration_raw = (-G_RAW, 0, 0)
            case HandAction.LOOK:
                touch.pressed = _YES if self._sees(request.index, index, robot) else _NO
            case HandAction.CLAP:
                touch.is_clapping = True
            case HandAction.COVER_GROUND:
                touch.paper_left = True
            case HandAction.AWAY | HandAction.LIFT | HandAction.MEASURE | HandAction.UNPLUG:
                pass
            case _:
                assert_never(action)
        return touch

    def _sees(self, sight: int, index: int, robot: Thymio) -> bool:
        left_mps, right_mps = self._simulation.world.wheels.speeds_mps[index].tolist()
        seen = Sight(sight)
        match seen:
            case Sight.GREEN_LIGHT:
                return robot.body.lights.get("leds.top") == _GREEN
            case Sight.TONE:
                return robot.body.sound is not None
            case Sight.LEFT_FORWARD:
                return bool(left_mps > _TURNS_MPS > abs(right_mps))
            case Sight.RIGHT_FORWARD:
                return bool(right_mps > _TURNS_MPS > abs(left_mps))
            case Sight.CHARGING:
                return self._simulation.world.batteries.can_charge[index]
            case _:
                assert_never(seen)

    def _hold(self, robot: Thymio, index: int, *, is_held: bool) -> None:
        """Lift a robot, so that its wheels turn without moving it, or put it back on the floor."""
        wheels = self._simulation.world.wheels
        if is_held and robot not in self._gains:
            left, right = wheels.gains[index].tolist()
            self._gains[robot] = (left, right)
            wheels.gains[index] = 0.0
        elif not is_held and robot in self._gains:
            wheels.gains[index] = self._gains.pop(robot)

    def _measure(self, node_id: int) -> None:
        x_m, y_m, heading_rad = self._places.get(node_id, self._simulation.pose(node_id))
        now_x_m, now_y_m, now_rad = self._simulation.pose(node_id)
        ahead_m = (now_x_m - x_m) * math.cos(heading_rad) + (now_y_m - y_m) * math.sin(heading_rad)
        turned_deg = math.degrees((now_rad - heading_rad + math.pi) % (2.0 * math.pi) - math.pi)
        self._say(f"ruler of node {node_id}: {1000.0 * ahead_m:.0f} mm ahead, {turned_deg:.0f} degrees to the left")
