"""The tables of the Thymio's firmware 14: named variables in memory order, and local events by rank."""

from typing import Final

from aseba_link.thymio.firmware_variables import FIRMWARE_VARIABLES
from aseba_link.wire.description import LocalEvent, Variable

VARIABLES: Final = tuple(Variable(name, size) for name, size in FIRMWARE_VARIABLES)

LOCAL_EVENTS = (
    LocalEvent("button.backward", "backward button pressed or released"),
    LocalEvent("button.left", "left button pressed or released"),
    LocalEvent("button.center", "center button pressed or released"),
    LocalEvent("button.forward", "forward button pressed or released"),
    LocalEvent("button.right", "right button pressed or released"),
    LocalEvent("buttons", "buttons were read"),
    LocalEvent("prox", "proximity sensors were read"),
    LocalEvent("prox.comm", "another robot was heard"),
    LocalEvent("tap", "the robot was tapped"),
    LocalEvent("acc", "the accelerometer was read"),
    LocalEvent("mic", "louder than the threshold"),
    LocalEvent("sound.finished", "a sound has ended by itself"),
    LocalEvent("temperature", "temperature was read"),
    LocalEvent("rc5", "remote control was heard"),
    LocalEvent("motor", "motors were controlled"),
    LocalEvent("timer0", "timer 0"),
    LocalEvent("timer1", "timer 1"),
)
