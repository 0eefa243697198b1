"""The terms of the contract: the self-description of a Thymio with firmware 14, and permitted differences."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

Listed = tuple[tuple[str, tuple[int, ...]], ...]

# name and size in words, in the order of memory; programming reference of the Thymio, firmware 14
_VARIABLES = """
_id 1, event.source 1, event.args 32, _fwversion 2, _productId 1, buttons._raw 5, button.backward 1, button.left 1,
button.center 1, button.forward 1, button.right 1, buttons._mean 5, buttons._noise 5, prox.horizontal 7,
prox.comm.rx._payloads 7, prox.comm.rx._intensities 7, prox.comm.rx 1, prox.comm.tx 1, prox.ground.ambiant 2,
prox.ground.reflected 2, prox.ground.delta 2, motor.left.target 1, motor.right.target 1, _vbat 2, _imot 2,
motor.left.speed 1, motor.right.speed 1, motor.left.pwm 1, motor.right.pwm 1, _integrator 2, acc 3, leds.top 3,
leds.bottom.left 3, leds.bottom.right 3, leds.circle 8, temperature 1, rc5.address 1, rc5.command 1, mic.intensity 1,
mic.threshold 1, mic._mean 1, timer.period 2, acc._tap 1, sd.present 1
"""
_EVENTS = """
button.backward button.left button.center button.forward button.right buttons prox prox.comm tap acc mic sound.finished
temperature rc5 motor timer0 timer1
"""
# name and sizes of the parameters, by number; -1 and -2 are templates
_FUNCTIONS = """
_system.reboot, _system.settings.read 1 1, _system.settings.write 1 1, _system.settings.flash, math.copy -1 -1,
math.fill -1 1, math.addscalar -1 -1 1, math.add -1 -1 -1, math.sub -1 -1 -1, math.mul -1 -1 -1, math.div -1 -1 -1,
math.min -1 -1 -1, math.max -1 -1 -1, math.clamp -1 -1 -1 -1, math.dot 1 -1 -1 1, math.stat -1 1 1 1,
math.argbounds -1 1 1, math.sort -1, math.muldiv -1 -1 -1 -1, math.atan2 -1 -1 -1, math.sin -1 -1, math.cos -1 -1,
math.rot2 2 2 1, math.sqrt -1 -1, math.rand -1, deque.size -1 1, deque.get -1 -2 1, deque.set -1 -2 1,
deque.insert -1 -2 1, deque.erase -1 1 1, deque.push_front -1 -2, deque.push_back -1 -2, deque.pop_front -1 -2,
deque.pop_back -1 -2, _leds.set 1 1, sound.record 1, sound.play 1, sound.replay 1, sound.system 1, sound.duration 1 1,
sound.freq 1 1, sound.wave 142, leds.circle 1 1 1 1 1 1 1 1, leds.top 1 1 1, leds.bottom.left 1 1 1,
leds.bottom.right 1 1 1, leds.buttons 1 1 1 1, leds.prox.h 1 1 1 1 1 1 1 1, leds.prox.v 1 1, leds.rc 1, leds.sound 1,
leds.temperature 1 1, prox.comm.enable 1, sd.open 1 1, sd.write -1 1, sd.read -1 1, sd.seek 1 1, _rf.nodeid 1,
_rf.setup 1 1, _poweroff
"""


# of the playground, in its order
_PLAYGROUND_VARIABLES = """
_id event.source event.args _productId _fwversion button.backward button.left button.center button.forward button.right
prox.horizontal prox.comm.rx prox.comm.tx prox.ground.ambiant prox.ground.reflected prox.ground.delta motor.left.target
motor.right.target motor.left.speed motor.right.speed motor.left.pwm motor.right.pwm acc temperature rc5.address
rc5.command mic.intensity mic.threshold timer.period sd.present
"""
_PLAYGROUND_FUNCTIONS = """
math.copy math.fill math.addscalar math.add math.sub math.mul math.div math.min math.max math.clamp math.dot math.stat
math.argbounds math.sort math.muldiv math.atan2 math.sin math.cos math.rot2 math.sqrt math.rand deque.size deque.get
deque.set deque.insert deque.erase deque.push_front deque.push_back deque.pop_front deque.pop_back sound.record
sound.play sound.replay sound.system leds.circle leds.top leds.bottom.right leds.bottom.left sound.freq leds.buttons
leds.prox.h leds.prox.v leds.rc leds.sound leds.temperature sound.wave prox.comm.enable sd.open sd.write sd.read sd.seek
sound.duration
"""


def _listed(text: str) -> Listed:
    """Return names and sizes."""
    entries = [entry.split() for entry in re.split(r",\s+", text.strip())]
    return tuple((entry[0], tuple(int(size) for size in entry[1:])) for entry in entries)


def _chosen(names: str, listed: Listed) -> Listed:
    """Return the entries with the given names, in the order of the names."""
    sizes = dict(listed)
    return tuple((name, sizes[name]) for name in names.split())


_FIRMWARE_VARIABLES = _listed(_VARIABLES)
_FIRMWARE_FUNCTIONS = _listed(_FUNCTIONS)


class BeyondMemory(Enum):
    """How a node handles a request for words that it does not have."""

    IGNORED = auto()  # and a breakpoint is refused
    FATAL = auto()  # an assertion ends the program
    UNTRIED = auto()  # it is unknown what a real robot would overwrite


@dataclass(frozen=True, slots=True)
class Terms:
    """The expected properties of a node; the defaults are those of firmware 14 on a real robot.

    Rates come from its source: its clock of 7812.5 Hz divided by 80, 800 and 160, the accelerometer's 62 ms, and
    the motor's again for a timer of 20 ms with a resolution of 1 ms.
    """

    protocol_version: int = 9  # descriptions have fragments from 8 on, uuids from 6 on
    variables: Listed = _FIRMWARE_VARIABLES
    local_events: tuple[str, ...] = tuple(_EVENTS.split())
    functions: Listed = _FIRMWARE_FUNCTIONS
    free_words: int = 512  # of memory for the variables of scripts
    firmware: tuple[int, int] = (14, 1)
    most_emitted: int = 32  # words of an event; emitting more is a fault
    reset_clears: bool = True  # all variables
    beyond_memory: BeyondMemory = BeyondMemory.UNTRIED
    rates_hz: Mapping[str, float] = field(
        default_factory=lambda: {"motor": 97.66, "prox": 9.77, "buttons": 48.8, "acc": 16.1, "timer0": 50.0}
    )


FIRMWARE_14 = Terms()
SIMULATOR = Terms(beyond_memory=BeyondMemory.IGNORED)  # no other difference by design
PLAYGROUND = Terms(
    protocol_version=5,
    variables=_chosen(_PLAYGROUND_VARIABLES, _FIRMWARE_VARIABLES),
    functions=_chosen(_PLAYGROUND_FUNCTIONS, _FIRMWARE_FUNCTIONS),
    firmware=(11, 0),
    most_emitted=258,
    reset_clears=False,
    beyond_memory=BeyondMemory.FATAL,
    rates_hz={"motor": 100.0, "prox": 10.0, "buttons": 20.0, "acc": 16.67, "timer0": 50.0},
)
