"""A Thymio's body as its firmware sees it: what the sensors say, and what lights, loudspeaker and infrared do."""

from dataclasses import dataclass, field

_FLAT_ACCELERATION_RAW = (0, 0, 23)  # from right to left, front to back, top to down; 23 is 1 g
_WHITE_GROUND_RAW = 938  # Enki's response to a white floor, measured in the Aseba playground
_ROOM_TEMPERATURE_RAW = 220  # 0.1 degree Celsius
_CHARGED_BATTERY_RAW = 776  # each half of `_vbat`; 3.9 V

BUTTONS = ("backward", "left", "center", "forward", "right")


@dataclass(slots=True)
class Sound:
    """What plays: the native function and its first argument; `left_s` is None for what plays until it is stopped."""

    native: str
    argument: int
    left_s: float | None


@dataclass(frozen=True, slots=True)
class Reception:
    """A payload from another robot: at the sensor that was reached best, and payload and intensity at all seven."""

    payload: int
    payloads: tuple[int, ...]
    intensities: tuple[int, ...]


@dataclass(slots=True)
class Body:
    """Sensors in raw units, written by the world or by whoever plays with the robot; actuators, written by the script.

    `speeds_raw` are the measured wheel speeds (left, right) in motor units, `proximity_raw` the seven horizontal
    proximity sensors (0 to 4505), `ground_raw` the light of their own that the two ground sensors get back, and
    `ambient_raw` the light that is there anyway (0 to 1023), `loudness_raw` what the microphone hears (0 to 255).
    """

    speeds_raw: tuple[int, int] = (0, 0)
    proximity_raw: tuple[int, ...] = (0,) * 7
    ground_raw: tuple[int, int] = (_WHITE_GROUND_RAW, _WHITE_GROUND_RAW)
    ambient_raw: tuple[int, int] = (0, 0)
    acceleration_raw: tuple[int, int, int] = _FLAT_ACCELERATION_RAW
    temperature_raw: int = _ROOM_TEMPERATURE_RAW
    battery_raw: tuple[int, int] = (_CHARGED_BATTERY_RAW, _CHARGED_BATTERY_RAW)
    buttons: tuple[bool, ...] = (False,) * 5  # whether touched, in the order of `BUTTONS`
    loudness_raw: int = 0
    is_tapped: bool = False  # until the firmware has told it
    remote: tuple[int, int] | None = None  # address and command of a remote control, until the firmware has told them
    receptions: list[Reception] = field(default_factory=list)  # until the firmware has told them

    lights: dict[str, tuple[int, ...]] = field(default_factory=dict)  # by native function, each 0 to 32
    sound: Sound | None = None
    communicates: bool = False  # infrared communication between robots
    is_on: bool = True

    def rest(self) -> None:
        """Switch everything off that the script may have switched on, as a reset does."""
        self.lights.clear()
        self.receptions.clear()
        self.sound = None
        self.communicates = False

    def switch_off(self) -> None:
        """Rest, and take part in nothing any more."""
        self.rest()
        self.is_on = False
