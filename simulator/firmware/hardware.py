"""Faults of a robot's hardware and firmware; the defaults describe a sound robot."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Final, assert_never

from simulator.firmware.body import BUTTONS, Body

Pair = tuple[int, int]

MAX_SPEED_RAW: Final = 500
_PERIOD_S: Final = 0.01
_RAW_PER_OHM: Final = 40.0  # counts of each half of `_vbat` per ohm, at the 0.2 A of both motors at full speed
_SKEW_COSINE, _SKEW_SINE = 0.866, 0.5


class StoredProgram(Enum):
    """A program in the robot's flash, which runs until another is loaded."""

    NONE = "none"
    DRIVES = "drives"  # turns the wheels
    FLOODS = "floods"  # sends 200 events a second


class Mounting(Enum):
    """How the accelerometer is mounted."""

    LEVEL = "level"
    TURNED = "turned"  # by 90 degrees about the vertical axis
    SKEWED = "skewed"  # by 30 degrees about the vertical axis
    FLIPPED = "flipped"  # upside down


@dataclass(frozen=True, slots=True)
class HardwareConfig:
    """What is wrong with a robot; world.schema.json has the details."""

    swapped_wheels: bool = False
    reversed_wheel: str = "none"
    left_motor_gain: float = 1.0
    right_motor_gain: float = 1.0
    left_backward_gain: float = 1.0
    max_speed_raw: int = MAX_SPEED_RAW
    hold_target_s: float = 0.0
    motor_period_s: float = _PERIOD_S
    motor_settings: tuple[int, ...] = (256, 256)
    taps_per_s: float = 0.0
    proximity_gains: tuple[float, ...] = (1.0,) * 7
    proximity_least_raw: tuple[int, ...] = (0,) * 7
    proximity_order: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    ground_gains: tuple[float, ...] = (1.0, 1.0)
    swapped_ground: bool = False
    accelerometer: Mounting = Mounting.LEVEL
    stuck_button: str = "none"
    dead_buttons: bool = False
    swapped_buttons: bool = False
    deaf: bool = False
    dark: bool = False
    mute: bool = False
    battery_gain: float = 1.0
    battery_ohm: float = 0.0
    charges: bool = True
    temperature_offset_c: float = 0.0
    silent: bool = False
    bootloader: bool = False
    firmware: int = 14
    node_name: str = ""
    missing_variable: str = ""
    moved_variables: bool = False
    bytecode_words: int = 1534
    ignores_run: bool = False
    restarts_every_s: float = 0.0
    doubled: bool = False
    stored_program: StoredProgram = StoredProgram.NONE


SOUND: Final = HardwareConfig()


def hardware_config(values: dict[str, object]) -> HardwareConfig:
    """Return the configuration from values that the schema has checked."""
    known = {field.name for field in fields(HardwareConfig)}
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items() if key in known}
    if "accelerometer" in made:
        made["accelerometer"] = Mounting(made["accelerometer"])
    if "stored_program" in made:
        made["stored_program"] = StoredProgram(made["stored_program"])
    return HardwareConfig(**made)  # type: ignore[arg-type]  # the schema has checked the types


class Hardware:
    """The faulty motors and sensors of a robot, between its firmware and the world."""

    def __init__(self, config: HardwareConfig) -> None:
        self.config = config
        self._held: Pair = (0, 0)
        self._held_s = 0.0
        self._tap_s = 0.0

    def targets(self, targets_raw: Pair) -> Pair:
        """Return the targets that the wheels follow for the next 10 ms."""
        config = self.config
        if any(targets_raw):
            self._held, self._held_s = targets_raw, 0.0
        else:
            self._held_s += _PERIOD_S
            targets_raw = self._held if self._held_s <= config.hold_target_s else (0, 0)
        most = config.max_speed_raw
        left, right = (min(max(target, -most), most) for target in targets_raw)
        left, right = round(left * config.left_motor_gain), round(right * config.right_motor_gain)
        left = round(left * config.left_backward_gain) if left < 0 else left
        left = -left if config.reversed_wheel == "left" else left
        right = -right if config.reversed_wheel == "right" else right
        return (right, left) if config.swapped_wheels else (left, right)

    def speeds(self, measured_raw: Pair) -> Pair:
        """Return the speeds that the firmware reads; with swapped motors, the sensors are swapped too."""
        return (measured_raw[1], measured_raw[0]) if self.config.swapped_wheels else measured_raw

    def is_tapped(self, speeds_raw: Pair) -> bool:
        """Return whether the accelerometer mistakes the vibration of the last 10 ms for a tap."""
        if not any(speeds_raw) or self.config.taps_per_s == 0.0:
            return False
        self._tap_s += _PERIOD_S
        if self._tap_s < 1.0 / self.config.taps_per_s:
            return False
        self._tap_s = 0.0
        return True

    def proximity(self, readings_raw: Sequence[int]) -> tuple[int, ...]:
        """Return the readings of the proximity sensors."""
        config = self.config
        return tuple(
            max(round(readings_raw[source] * gain), least)
            for source, gain, least in zip(
                config.proximity_order, config.proximity_gains, config.proximity_least_raw, strict=True
            )
        )

    def ground(self, readings_raw: Pair) -> Pair:
        """Return the readings of the ground sensors."""
        left, right = (
            round(reading * gain) for reading, gain in zip(readings_raw, self.config.ground_gains, strict=True)
        )
        return (right, left) if self.config.swapped_ground else (left, right)

    def acceleration(self, reading_raw: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return the reading of the accelerometer."""
        leftward, backward, downward = reading_raw
        match self.config.accelerometer:
            case Mounting.LEVEL:
                return reading_raw
            case Mounting.TURNED:
                return backward, -leftward, downward
            case Mounting.SKEWED:
                return (
                    round(_SKEW_COSINE * leftward - _SKEW_SINE * backward),
                    round(_SKEW_SINE * leftward + _SKEW_COSINE * backward),
                    downward,
                )
            case Mounting.FLIPPED:
                return leftward, -backward, -downward
            case _:
                assert_never(self.config.accelerometer)

    def battery(self, reading_raw: int, targets_raw: Pair) -> int:
        """Return each half of `_vbat`."""
        load = (abs(targets_raw[0]) + abs(targets_raw[1])) / (2 * MAX_SPEED_RAW)
        return max(round(reading_raw * self.config.battery_gain - _RAW_PER_OHM * self.config.battery_ohm * load), 0)

    def apply_to_outputs(self, body: Body) -> None:
        """Switch off outputs that do not work, and silence the microphone if the robot is deaf."""
        if self.config.dark:
            body.lights.clear()
        if self.config.mute:
            body.sound = None
        if self.config.deaf:
            body.loudness_raw = 0

    def buttons(self, touched: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return which buttons the firmware senses as touched."""
        config = self.config
        if config.dead_buttons:
            return (False,) * len(BUTTONS)
        backward, left, center, forward, right = touched
        if config.swapped_buttons:
            left, right = right, left
        felt = (backward, left, center, forward, right)
        return tuple(is_felt or name == config.stuck_button for name, is_felt in zip(BUTTONS, felt, strict=True))
