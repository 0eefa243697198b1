"""Requests to a person beside a robot, as events that a simulated hand understands too.

`HAND` is an event of the bring-up's script after those of `Event`; robots ignore it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from aseba_link.thymio.events import Event

SET_GUARD: Final = len(Event)  # command: node id, 0 lets wheels turn only in the air, 1 only on the floor
GUARD: Final = SET_GUARD + 1  # event: mode, ground sensors left, right, at the time the guard stopped the wheels
HAND: Final = GUARD + 1  # event of the host: node id, `HandAction`, index
PING: Final = HAND + 1  # command: node id, number
PONG: Final = PING + 1  # event: the number


class HandAction(IntEnum):
    """What a hand does until it gets another request."""

    AWAY = 0  # nothing: the robot is on the floor, untouched
    LIFT = 1  # hold the robot up
    COVER = 2  # cover the proximity sensor `index`
    PRESS = 3  # press the button `index`, in the order of `Event.BUTTONS`
    NOSE_UP = 4  # stand the robot on its rear
    LEFT_UP = 5  # lay the robot on its right side
    CLAP = 6  # make a noise
    COVER_GROUND = 7  # hold the robot up, with white paper under the left ground sensor only
    LOOK = 8  # press forward if the `Sight` with the value `index` is true, else backward
    MEASURE = 9  # measure how far the robot moved since the last AWAY
    UNPLUG = 10  # unplug the robot's link, and plug it in again after some seconds


class Sight(IntEnum):
    """What a person can see or hear of a robot."""

    GREEN_LIGHT = 0  # the robot's top is green
    TONE = 1  # it plays a tone
    LEFT_FORWARD = 2  # the left wheel turns forwards, the right wheel is still
    RIGHT_FORWARD = 3  # the right wheel turns forwards, the left wheel is still
    CHARGING = 4  # on a cable, the battery is charging or full


@dataclass(frozen=True, slots=True)
class HandRequest:
    """A request to the hand beside a robot."""

    node_id: int
    action: HandAction
    index: int = 0

    def words(self) -> tuple[int, int, int]:
        """Return the words of the event."""
        node_id = self.node_id - 0x10000 if self.node_id > 0x7FFF else self.node_id
        return node_id, self.action, self.index


def decode_hand_request(args: Sequence[int]) -> HandRequest | None:
    """Return the request in an event's words; None if they are not a request."""
    if len(args) != 3 or args[1] not in set(HandAction):
        return None
    if args[1] == HandAction.LOOK and args[2] not in set(Sight):
        return None
    return HandRequest(args[0] & 0xFFFF, HandAction(args[1]), args[2])
