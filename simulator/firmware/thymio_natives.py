"""Native functions specific to the Thymio; they act on its body; those of the memory card and radio do nothing."""

from collections.abc import Sequence

from aseba_link.wire.description import NativeFunction
from simulator.firmware.body import Body, Sound
from simulator.machine.processor import DescribedNative, Native, Processor

_BRIGHTEST = 32
_MOTOR_SETTINGS = 8
_NO_CARD = -1  # status of `sd.open` without a memory card
_SYSTEM_SOUND_S = 1.0  # the lengths of the firmware's own sounds are not documented
_TONE_TICKS_HZ = 60.0  # unit of a tone's duration


def thymio_natives(body: Body) -> list[DescribedNative]:
    """Return descriptions and functions in the firmware's order."""
    return [
        _described("_leds.set", "set one light", _ignore, "led", "brightness"),
        *_sounds(body),
        *_lights(body),
        _described("prox.comm.enable", "switch infrared communication", _enable(body), "state"),
        *_card(),
        _described("_rf.nodeid", "set the radio's node id", _ignore, "nodeID"),
        _described("_rf.setup", "set the radio's channel and network", _ignore, "channel", "networkID"),
    ]


def system_natives(motor_settings: Sequence[int] = (256, 256)) -> list[DescribedNative]:
    """Return the functions listed first; settings are not stored: all except the motors' read as 0."""
    return [
        (NativeFunction("_system.reboot", "restart the processor", ()), _ignore),
        _described("_system.settings.read", "read a setting", _read_setting(motor_settings), "address", "value"),
        _described("_system.settings.write", "change a setting", _ignore, "address", "value"),
        (NativeFunction("_system.settings.flash", "keep the settings", ()), _ignore),
    ]


def power_natives(body: Body) -> list[DescribedNative]:
    """Return the function listed last."""
    return [(NativeFunction("_poweroff", "switch the robot off", ()), _switch_off(body))]


def _sounds(body: Body) -> list[DescribedNative]:
    wave = NativeFunction("sound.wave", "set the wave of sound.freq", ((142, "wave"),))
    return [
        _described("sound.record", "record sound N", _ignore, "N"),
        _described("sound.play", "play sound N", _play_file(body), "N"),
        _described("sound.replay", "play recorded sound N", _play_file(body), "N"),
        _described("sound.system", "play system sound N", _play_system_sound(body), "N"),
        _described("sound.duration", "length of sound N in 0.1 s", _answer(1, 0), "N", "duration"),
        _described("sound.freq", "play a tone", _play_tone(body), "Hz", "ds"),
        (wave, _ignore),
    ]


def _lights(body: Body) -> list[DescribedNative]:
    names = {
        "leds.circle": [f"led{index}" for index in range(8)],
        "leds.top": ["red", "green", "blue"],
        "leds.bottom.left": ["red", "green", "blue"],
        "leds.bottom.right": ["red", "green", "blue"],
        "leds.buttons": [f"led{index}" for index in range(4)],
        "leds.prox.h": [f"led{index}" for index in range(8)],
        "leds.prox.v": ["left", "right"],
        "leds.rc": ["led"],
        "leds.sound": ["led"],
        "leds.temperature": ["red", "blue"],
    }
    return [
        _described(name, "set brightness, 0 to 32", _light(body, name), *parameters)
        for name, parameters in names.items()
    ]


def _card() -> list[DescribedNative]:
    data = (-1, "data")
    return [
        _described("sd.open", "open file number", _answer(1, _NO_CARD), "number", "status"),
        (NativeFunction("sd.write", "write data", (data, (1, "written"))), _answer(1, 0)),
        (NativeFunction("sd.read", "read data", (data, (1, "read"))), _answer(1, 0)),
        _described("sd.seek", "go to position", _answer(1, _NO_CARD), "position", "status"),
    ]


def _described(name: str, doc: str, native: Native, *parameters: str) -> DescribedNative:
    return NativeFunction(name, doc, tuple((1, parameter) for parameter in parameters)), native


def _words(processor: Processor, addresses: Sequence[int]) -> tuple[int, ...]:
    return tuple(processor.variables[processor.address(address, 1)] for address in addresses)


def _ignore(_: Processor, *__: int) -> None:
    """Do nothing."""


def _answer(position: int, value: int) -> Native:
    """Return a native that writes `value` to its argument at `position`."""

    def native(processor: Processor, *arguments: int) -> None:
        processor.variables[processor.address(arguments[position], 1)] = value

    return native


def _read_setting(motor_settings: Sequence[int]) -> Native:
    """Return a native that reads the corrections of the left and right motor, words 8 and 9; all others are 0."""

    def native(processor: Processor, *arguments: int) -> None:
        (number,) = _words(processor, arguments[:1])
        value = motor_settings[number - _MOTOR_SETTINGS] if number in (_MOTOR_SETTINGS, _MOTOR_SETTINGS + 1) else 0
        processor.variables[processor.address(arguments[1], 1)] = value

    return native


def _light(body: Body, name: str) -> Native:
    def native(processor: Processor, *addresses: int) -> None:
        body.lights[name] = tuple(max(0, min(_BRIGHTEST, word)) for word in _words(processor, addresses))

    return native


def _play_file(body: Body) -> Native:
    """Return a native that only stops the current sound: there is no card with sounds."""

    def native(processor: Processor, number: int) -> None:
        processor.address(number, 1)
        body.sound = None

    return native


def _play_system_sound(body: Body) -> Native:
    def native(processor: Processor, address: int) -> None:
        (number,) = _words(processor, (address,))
        body.sound = Sound("sound.system", number, _SYSTEM_SOUND_S) if number >= 0 else None

    return native


def _play_tone(body: Body) -> Native:
    """Return a native that plays a tone for a number of 1/60 s; 0 plays it forever, -1 stops it."""

    def native(processor: Processor, *addresses: int) -> None:
        frequency_hz, ticks = _words(processor, addresses)
        left_s = ticks / _TONE_TICKS_HZ if ticks > 0 else None
        body.sound = Sound("sound.freq", frequency_hz, left_s) if ticks >= 0 else None

    return native


def _switch_off(body: Body) -> Native:
    def native(_: Processor) -> None:
        body.switch_off()

    return native


def _enable(body: Body) -> Native:
    def native(processor: Processor, state: int) -> None:
        body.communicates = _words(processor, (state,)) != (0,)

    return native
