"""A Thymio's body as its firmware sees it: sensor values, and the state of lights, loudspeaker and infrared."""

from dataclasses import dataclass, field

_FLAT_ACCELERATION_RAW = (0, 0, 23)  # from right to left, front to back, top to bottom; 23 is 1 g
_WHITE_GROUND_RAW = 938  # Enki's response to a white floor, measured in the Aseba playground
_ROOM_TEMPERATURE_RAW = 220  # 0.1 degree Celsius
_CHARGED_BATTERY_RAW = 776  # each half of `_vbat`; 3.9 V

BUTTONS = ("backward", "left", "center", "forward", "right")


@dataclass(slots=True)
class Sound:
    """The sound being played: its native function and first argument; `left_s` is None if it plays until stopped."""

    native: str
    argument: int
    left_s: float | None


@dataclass(frozen=True, slots=True)
class Reception:
    """A payload from another robot, and the payload and intensity at each of the seven sensors."""

    payload: int
    payloads: tuple[int, ...]
    intensities: tuple[int, ...]


@dataclass(slots=True)
class Body:
    """Sensors in raw units, written by the world or a person handling the robot; actuators, written by the script.

    `speeds_raw` are the measured wheel speeds (left, right) in motor units, `proximity_raw` the seven horizontal
    proximity sensors (0 to 4505), `ground_raw` the reflected light at the two ground sensors, and `ambient_raw` their
    ambient light (0 to 1023), `loudness_raw` the microphone's reading (0 to 255).
    """

    speeds_raw: tuple[int, int] = (0, 0)
    proximity_raw: tuple[int, ...] = (0,) * 7
    ground_raw: tuple[int, int] = (_WHITE_GROUND_RAW, _WHITE_GROUND_RAW)
    ambient_raw: tuple[int, int] = (0, 0)
    acceleration_raw: tuple[int, int, int] = _FLAT_ACCELERATION_RAW
    temperature_raw: int = _ROOM_TEMPERATURE_RAW
    battery_raw: tuple[int, int] = (_CHARGED_BATTERY_RAW, _CHARGED_BATTERY_RAW)
    touched: tuple[bool, ...] = (False,) * 5  # whether a finger is on each of `BUTTONS`
    buttons: tuple[bool, ...] = (False,) * 5  # what the firmware senses of it; the same in a sound robot
    loudness_raw: int = 0
    is_tapped: bool = False  # cleared when the firmware reports it
    remote: tuple[int, int] | None = None  # address and command of a remote control, cleared when reported
    receptions: list[Reception] = field(default_factory=list)  # cleared when the firmware reports them

    lights: dict[str, tuple[int, ...]] = field(default_factory=dict)  # by native function, each 0 to 32
    sound: Sound | None = None
    communicates: bool = False  # infrared communication between robots
    is_on: bool = True

    def touch(self, touched: tuple[bool, ...]) -> None:
        """Touch these buttons and no others; faults of the robot apply from the next step."""
        self.touched = self.buttons = touched

    def switch_off_outputs(self) -> None:
        """Switch off lights, sound and communication, as a reset does."""
        self.lights.clear()
        self.receptions.clear()
        self.sound = None
        self.communicates = False

    def switch_off(self) -> None:
        """Switch off all outputs and the robot itself, which does nothing afterwards."""
        self.switch_off_outputs()
        self.is_on = False
