"""The calibration file: one format for the wheels and the proximity sensors of every robot of a fleet.

calibration.schema.json documents every key. The calibration command writes the file, the driver reads it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aseba_link.errors import InvalidValueError
from aseba_link.thymio.sensor_events import PROXIMITY_POSES, ProximityCalibration
from fleet.errors import ConfigError
from fleet.wheels.robot_calibration import Record, RobotCalibration, WheelCalibration
from thymio_base.errors import SettingsError
from thymio_base.settings_file import Problem, load_settings, repeats
from thymio_base.texts.decimal_text import real_number
from thymio_base.texts.json_text import shipped_schema
from thymio_base.texts.user_file import may_exist
from thymio_base.texts.yaml_text import write_yaml

_HEADER = "# Made by `thymio-fleet calibrate`; docs/calibration.md explains it.\n"
_DIGITS = 6  # a wheel is known to a few parts in ten thousand
_RECORD_KEYS = ("date", "method", "residual_m")


def calibration_schema() -> dict[str, Any]:
    """Return the JSON Schema of the calibration file."""
    return shipped_schema("fleet.settings", "calibration.schema.json")


def load_calibrations(path: Path) -> dict[int, RobotCalibration]:
    """Return the robots in the file at `path`, by ID, in the order of the file; none if there is no file.

    Raises
    ------
    ConfigError
        The file cannot be read or has problems; the message lists all of them, each with path and line.
    """
    if not may_exist(path):
        return {}
    try:
        values = load_settings(path, calibration_schema(), _contradictions, parts_check=_conflicts)
    except SettingsError as error:
        raise ConfigError(str(error)) from error
    robots = (_robot(robot) for robot in values["robots"])
    return {robot.robot_id: robot for robot in robots}


def save_calibrations(path: Path, robots: Mapping[int, RobotCalibration]) -> None:
    """Write the file at `path`, whole or not at all.

    Raises
    ------
    ConfigError
        The file cannot be written.
    """
    values = {"robots": [_robot_values(robot) for robot in robots.values()]}
    text = _HEADER + write_yaml(values, width=120)
    beside = path.with_name(f"{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error


def _robot(values: dict[str, Any]) -> RobotCalibration:
    wheels, proximity = values.get("wheels", {}), values.get("proximity", {})
    return RobotCalibration(
        robot_id=values["id"],
        node_id=values.get("node_id"),
        uuid=values.get("uuid", "").replace("-", "").lower(),
        wheels=WheelCalibration(**_without_record(wheels)) if wheels else None,
        wheels_record=_record(wheels),
        proximity={name: ProximityCalibration(**proximity[name]) for name in PROXIMITY_POSES if name in proximity},
        proximity_record=_record(proximity),
    )


def _record(values: dict[str, Any]) -> Record:
    return Record(values.get("date", ""), values.get("method", ""), values.get("residual_m"))


def _without_record(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in _RECORD_KEYS}


def _robot_values(robot: RobotCalibration) -> dict[str, Any]:
    values: dict[str, Any] = {"id": robot.robot_id}
    if robot.node_id is not None:
        values["node_id"] = robot.node_id
    if robot.uuid:
        values["uuid"] = robot.uuid
    if robot.wheels is not None:
        values["wheels"] = _rounded(asdict(robot.wheels)) | _record_values(robot.wheels_record)
    if robot.proximity:
        sensors = {name: _rounded(asdict(sensor)) for name, sensor in robot.proximity.items()}
        values["proximity"] = sensors | _record_values(robot.proximity_record)
    return values


def _record_values(record: Record) -> dict[str, Any]:
    return {key: value for key, value in _rounded(asdict(record)).items() if value not in ("", None)}


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: real_number(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value for key, value in values.items()
    }


def _contradictions(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield the sensors whose values are contradictory."""
    for index, robot in enumerate(values["robots"]):
        if robot is None:
            continue
        for name in PROXIMITY_POSES:
            if name in robot.get("proximity", {}):
                yield from _unfit(("robots", index, "proximity", name), robot["proximity"][name])


def _conflicts(parts: dict[str, Any]) -> Iterator[Problem]:
    """Yield the ids that occur twice."""
    robot_ids = [None if robot is None else robot.get("id") for robot in parts["robots"]]
    for index, first in repeats(robot_ids):
        yield ("robots", index, "id"), f"{robot_ids[index]} is taken by robots[{first}]"


def _unfit(path: tuple[str | int, ...], sensor: dict[str, Any]) -> Iterator[Problem]:
    try:
        ProximityCalibration(**sensor)
    except InvalidValueError as error:
        yield path, str(error)
