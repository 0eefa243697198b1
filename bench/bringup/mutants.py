"""Robots with one fault each, and the stage and cause that the bring-up must name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleet.bringup.cause import Cause
from fleet.bringup.stage_result import BringupStage
from simulator.world.config import WorldConfig, build_world

_ROBOT = {"node_id": 1, "x_m": 1.0, "y_m": 1.0, "heading_rad": 0.3}
_SECOND = {"node_id": 2, "x_m": 0.4, "y_m": 0.4}
_WIRE, _SCRIPT, _RADIO = BringupStage.WIRE, BringupStage.SCRIPT, BringupStage.RADIO
_SENSORS, _LIGHTS, _WHEELS = BringupStage.SENSORS, BringupStage.LIGHTS, BringupStage.WHEELS
_CAPTURE, _ODOMETRY = BringupStage.CAPTURE, BringupStage.ODOMETRY


@dataclass(frozen=True, slots=True)
class Mutant:
    """A faulty robot: keys of its `hardware`, its entry or the world, and the first stage that must not pass."""

    name: str
    stage: BringupStage
    cause: Cause
    hardware: Mapping[str, Any] = field(default_factory=dict)
    robot: Mapping[str, Any] = field(default_factory=dict)
    world: Mapping[str, Any] = field(default_factory=dict)
    has_second: bool = False
    has_node_id: bool = False  # whether the robot is selected by node id, among two

    def build(self, seed: int = 1) -> WorldConfig:
        """Return the world with the robot."""
        robot = {**_ROBOT, **self.robot, "hardware": dict(self.hardware)}
        robots = [robot, _SECOND] if self.has_second else [robot]
        return build_world({"arena": {"width_m": 2.0, "height_m": 2.0}, "robots": robots, "seed": seed, **self.world})


def right_values(seed: int, *, by_radio: bool = False) -> dict[str, Any]:
    """Return the world's keys for a sound robot, by cable or by radio, with noisy readings."""
    return {
        "arena": {"width_m": 2.0, "height_m": 2.0},
        "robots": [dict(_ROBOT)],
        "seed": seed,
        "radio": {"enabled": by_radio, "loss": 0.004},
        "motors": {"reading_noise_raw": 5.0, "speed_noise": 0.02, "time_constant_s": 0.05 + 0.02 * (seed % 6)},
    }


def right_robot(seed: int, *, by_radio: bool = False) -> WorldConfig:
    """Return the world of a sound robot."""
    return build_world(right_values(seed, by_radio=by_radio))


def _only(index: int, value: float, count: int = 7, other: float = 1.0) -> list[float]:
    return [value if place == index else other for place in range(count)]


def _radio(**values: Any) -> dict[str, Any]:
    return {"radio": {"enabled": True, **values}}


def _capture(**values: Any) -> dict[str, Any]:
    return {"motion_capture": values}


MUTANTS = (
    Mutant("silent", _WIRE, Cause.SILENT, {"silent": True}),
    Mutant("bootloader", _WIRE, Cause.BOOTLOADER, {"bootloader": True}),
    Mutant("firmware_9", _WIRE, Cause.OLD_FIRMWARE, {"firmware": 9}),
    Mutant("firmware_12", _WIRE, Cause.NO_UUID, {"firmware": 12}),
    Mutant("firmware_13", _WIRE, Cause.OTHER_FIRMWARE, {"firmware": 13}),
    Mutant("other_name", _WIRE, Cause.OTHER_NODE, {"node_name": "e-puck0"}),
    Mutant("missing_variable", _WIRE, Cause.OTHER_VARIABLES, {"missing_variable": "prox.ground.delta"}),
    Mutant("moved_variables", _WIRE, Cause.OTHER_VARIABLES, {"moved_variables": True}),
    Mutant("two_of_one_id", _WIRE, Cause.DUPLICATE_ID, {"doubled": True}),
    Mutant("two_robots", _WIRE, Cause.MORE_ROBOTS, has_second=True),
    Mutant("stored_program_drives", _WIRE, Cause.STORED_PROGRAM, {"stored_program": "drives"}),
    Mutant("stored_program_floods", _WIRE, Cause.FLOOD, {"stored_program": "floods"}),
    Mutant("modem_probe", _WIRE, Cause.MODEM_MANAGER, world={"line": {"greets": True}}),
    Mutant("damaged_bytes", _WIRE, Cause.LOST_BYTES, world={"line": {"corrupts_every_bytes": 1500}}),
    Mutant("hangs_up", _WIRE, Cause.LOST_BYTES, world={"line": {"hangs_up_every_bytes": 1500}}),
    Mutant("small_memory", _SCRIPT, Cause.SCRIPT_FAILS, {"bytecode_words": 600}),
    Mutant("never_runs", _SCRIPT, Cause.SCRIPT_FAILS, {"ignores_run": True}),
    Mutant("restarts", _SCRIPT, Cause.RESTARTS, {"restarts_every_s": 9.0}),
    Mutant("slow_clock", _RADIO, Cause.OTHER_PERIOD, {"motor_period_s": 0.012}),
    Mutant("loss_5", _RADIO, Cause.LOSS, world=_radio(loss=0.05)),
    Mutant("loss_12", _RADIO, Cause.LOSS, world=_radio(loss=0.12)),
    Mutant("late_radio", _RADIO, Cause.LATENCY, world=_radio(latency_s=0.3)),
    Mutant("dropouts", _RADIO, Cause.DROPOUTS, world=_radio(dropouts={"mean_interval_s": 4.0, "duration_s": 1.4})),
    Mutant("narrow_radio", _RADIO, Cause.LOW_CAPACITY, world=_radio(bandwidth_messages_per_s=40)),
    Mutant("three_robots_only", _RADIO, Cause.LOW_CAPACITY, world=_radio(bandwidth_messages_per_s=58)),
    Mutant("stuck_proximity", _SENSORS, Cause.STUCK_SENSOR, {"proximity_least_raw": [2000, 0, 0, 0, 0, 0, 0]}),
    Mutant("blind_proximity", _SENSORS, Cause.BLIND_SENSOR, {"proximity_gains": _only(2, 0.0)}),
    Mutant("weak_proximity", _SENSORS, Cause.WEAK_SENSOR, {"proximity_gains": _only(4, 0.15)}),
    Mutant("swapped_proximity", _SENSORS, Cause.SWAPPED_SENSORS, {"proximity_order": [4, 1, 2, 3, 0, 5, 6]}),
    Mutant("weak_ground", _SENSORS, Cause.GROUND_SENSOR, {"ground_gains": [1.0, 0.15]}),
    Mutant("swapped_ground", _SENSORS, Cause.GROUND_SWAPPED, {"swapped_ground": True}),
    Mutant("black_table", _SENSORS, Cause.DARK_FLOOR, world={"floor_gray": 0.0}),
    Mutant("turned_accelerometer", _SENSORS, Cause.ACCELEROMETER, {"accelerometer": "turned"}),
    Mutant("skewed_accelerometer", _SENSORS, Cause.ACCELEROMETER, {"accelerometer": "skewed"}),
    Mutant("flipped_accelerometer", _SENSORS, Cause.ACCELEROMETER, {"accelerometer": "flipped"}),
    Mutant("stuck_button", _SENSORS, Cause.BUTTON_STUCK, {"stuck_button": "left"}),
    Mutant("dead_buttons", _SENSORS, Cause.BUTTON_DEAD, {"dead_buttons": True}),
    Mutant("swapped_buttons", _SENSORS, Cause.BUTTON_SWAPPED, {"swapped_buttons": True}),
    Mutant("deaf", _SENSORS, Cause.MICROPHONE, {"deaf": True}),
    Mutant("hot", _SENSORS, Cause.TEMPERATURE, {"temperature_offset_c": 60.0}),
    Mutant("dark", _LIGHTS, Cause.LIGHTS_DARK, {"dark": True}),
    Mutant("mute", _LIGHTS, Cause.NO_SOUND, {"mute": True}),
    Mutant("not_charging", _LIGHTS, Cause.NOT_CHARGING, {"charges": False}),
    Mutant("empty_battery", _LIGHTS, Cause.BATTERY_LOW, robot={"charge": 0.02}),
    Mutant("wrong_gauge", _LIGHTS, Cause.BATTERY_GAUGE, {"battery_gain": 0.5}),
    Mutant("motor_settings", _LIGHTS, Cause.MOTOR_SETTINGS, {"motor_settings": [306, 206]}),
    Mutant("aged_battery", _WHEELS, Cause.BATTERY_OLD, {"battery_ohm": 1.5}),
    Mutant("dead_wheel", _WHEELS, Cause.WHEEL_DEAD, {"left_motor_gain": 0.0}),
    Mutant("reversed_wheel", _WHEELS, Cause.WHEEL_REVERSED, {"reversed_wheel": "right"}),
    Mutant("swapped_wheels", _WHEELS, Cause.WHEELS_SWAPPED, {"swapped_wheels": True}),
    Mutant("weak_wheel", _WHEELS, Cause.WHEEL_WEAK, {"right_motor_gain": 0.8}),
    Mutant("weak_backwards", _WHEELS, Cause.WHEEL_WEAK, {"left_backward_gain": 0.6}),
    Mutant("saturates", _WHEELS, Cause.SATURATION, {"max_speed_raw": 300}),
    Mutant("dead_band", _WHEELS, Cause.DEAD_BAND, world={"motors": {"dead_band_raw": 60}}),
    Mutant("slow_motors", _WHEELS, Cause.LAG, world={"motors": {"time_constant_s": 0.4}}),
    Mutant("noisy_speed", _WHEELS, Cause.NOISY_SPEED, world={"motors": {"reading_noise_raw": 30}}),
    Mutant("slow_brake", _WHEELS, Cause.SLOW_BRAKE, {"hold_target_s": 0.4}),
    Mutant("coasts", _WHEELS, Cause.SLOW_BRAKE, {"hold_target_s": 1.0}),
    Mutant("keeps_driving", _WHEELS, Cause.KEEPS_DRIVING, {"hold_target_s": 5.0}),
    Mutant("false_taps", _WHEELS, Cause.FALSE_TAPS, {"taps_per_s": 2.0}),
    Mutant("no_poses", _CAPTURE, Cause.NO_POSES, world=_capture(enabled=False)),
    Mutant("slow_poses", _CAPTURE, Cause.POSE_RATE, world=_capture(rate_hz=3.0)),
    Mutant("noisy_poses", _CAPTURE, Cause.POSE_NOISE, world=_capture(position_noise_m=0.02)),
    Mutant("jumping_poses", _CAPTURE, Cause.POSE_JUMPS, world=_capture(jump_m=0.5)),
    Mutant("millimetres", _CAPTURE, Cause.POSE_UNITS, world=_capture(scale=1000.0)),
    Mutant("frozen_poses", _CAPTURE, Cause.POSE_GAPS, world=_capture(freezes_s=1.2)),
    Mutant("turned_poses", _CAPTURE, Cause.POSE_AXES, world=_capture(turned_rad=1.57)),
    Mutant("mirrored_poses", _CAPTURE, Cause.POSE_MIRRORED, world=_capture(mirrored=True)),
    Mutant("late_poses", _CAPTURE, Cause.POSE_LATE, world=_capture(latency_s=0.5)),
    Mutant("marker_ahead", _CAPTURE, Cause.MARKER_OFFSET, world=_capture(marker_x_m=0.03)),
    Mutant(
        "exchanged_bodies",
        _CAPTURE,
        Cause.OTHER_BODY,
        world=_capture(exchanged=True),
        has_second=True,
        has_node_id=True,
    ),
    Mutant("unequal_wheels", _ODOMETRY, Cause.WHEEL_RATIO, robot={"left_wheel_gain": 1.06, "right_wheel_gain": 0.94}),
    Mutant("small_wheels", _ODOMETRY, Cause.WHEEL_UNITS, robot={"left_wheel_gain": 0.85, "right_wheel_gain": 0.85}),
    Mutant("slip", _ODOMETRY, Cause.SLIP, world={"motors": {"slip": 0.3}}),
)
