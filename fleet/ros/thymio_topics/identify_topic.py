"""The topic /fleet/identify: the robot named in a message lights up and beeps, whatever else it does."""

from collections.abc import Callable
from typing import Final

from rclpy.node import Node
from std_msgs.msg import UInt32

from aseba_link.thymio.actuators import GESTURE_OFF, blink_gesture, encode_colour, encode_sound
from aseba_link.thymio.events import Event
from fleet.interface.names import IDENTIFY_TOPIC
from fleet.interface.quality import IDENTIFY_QOS
from fleet.service.fleet_service import FleetService

_LIT_NS: Final = 4_000_000_000
_BLINK_S: Final = 0.5
_TONE_HZ, _TONE_S = 880.0, 0.4


class IdentifyTopic:
    """Makes robots light up and beep, to show which is which.

    Parameters
    ----------
    service : reaches the robots
    node : owns the subscription
    clock : returns the current time [ns]
    """

    def __init__(self, service: FleetService, node: Node, clock: Callable[[], int]) -> None:
        self._service = service
        self._clock = clock
        self._until_ns: dict[int, int] = {}  # when lights end, by robot
        self._robot_ids = {robot.id for robot in service.config.robots}
        node.create_subscription(UInt32, IDENTIFY_TOPIC, self._on_message, IDENTIFY_QOS)

    def step(self, now_ns: int) -> None:
        """Switch off lights whose time is over."""
        if not self._until_ns:
            return
        for robot_id in [robot_id for robot_id, until_ns in self._until_ns.items() if now_ns >= until_ns]:
            del self._until_ns[robot_id]
            self._service.emit(robot_id, Event.SET_LED_GESTURE, GESTURE_OFF)
            self._service.emit(robot_id, Event.SET_LED_TOP, encode_colour(0.0, 0.0, 0.0))

    def _on_message(self, message: UInt32) -> None:
        """Light up a reachable robot of ours; other drivers serve theirs."""
        robot_id = message.data
        if robot_id not in self._robot_ids:
            return
        if self._service.emit(robot_id, Event.SET_LED_TOP, encode_colour(1.0, 1.0, 1.0)):
            self._service.emit(robot_id, Event.SET_LED_GESTURE, blink_gesture(_BLINK_S))
            self._service.emit(robot_id, Event.PLAY_SOUND, encode_sound(_TONE_HZ, _TONE_S))
            self._until_ns[robot_id] = self._clock() + _LIT_NS
