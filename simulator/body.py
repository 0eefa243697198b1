"""A Thymio's body as its firmware sees it: what the sensors say, and what lights and loudspeaker do."""

from dataclasses import dataclass, field

_FLAT_ACCELERATION_RAW = (0, 0, 22)  # 23 raw units are 1 g
_WHITE_GROUND_RAW = 938  # Enki's response to a white floor, measured in the Aseba playground
_ROOM_TEMPERATURE_RAW = 220  # 0.1 degree Celsius
_CHARGED_BATTERY_RAW = 776  # each half of `_vbat`; 3.9 V


@dataclass(slots=True)
class Body:
    """Sensors in raw units, written by the world; actuators, written by the script.

    `speeds_raw` are the measured wheel speeds (left, right) in motor units, `proximity_raw` the seven horizontal
    proximity sensors (0 to 4505), `ground_raw` the light that the two ground sensors get back (0 to 1023).
    """

    speeds_raw: tuple[int, int] = (0, 0)
    proximity_raw: tuple[int, ...] = (0,) * 7
    ground_raw: tuple[int, int] = (_WHITE_GROUND_RAW, _WHITE_GROUND_RAW)
    acceleration_raw: tuple[int, int, int] = _FLAT_ACCELERATION_RAW
    temperature_raw: int = _ROOM_TEMPERATURE_RAW
    battery_raw: tuple[int, int] = (_CHARGED_BATTERY_RAW, _CHARGED_BATTERY_RAW)
    lights: dict[str, tuple[int, ...]] = field(default_factory=dict)  # by native function, each 0 to 32
    sound: tuple[str, int] | None = None  # the native function that was called last, and its first argument
    communicates: bool = False  # infrared communication between robots

    def rest(self) -> None:
        """Switch everything off, as a reset does."""
        self.lights.clear()
        self.sound = None
        self.communicates = False
