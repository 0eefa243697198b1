"""Files of users: `thymio-fleet check` and the programs that read them must agree on each."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from numpy.random import Generator

from bench.doors.reader_doors import Attempt, ReaderDoor
from bench.doors.requests.odd_values import changed, changed_bytes, changed_text, odd_text, pick
from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from experiments.scenarios.file.experiment_file import ExperimentError, load_experiment
from fleet.errors import FleetError
from fleet.settings.calibration_file import load_calibrations
from fleet.settings.config import load_config
from fleet.settings.path_file import load_path
from simulator.errors import WorldError
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world

_SHARED: Final = Path(__file__).parents[2]
_EXAMPLES: Final = _SHARED / "examples"
_CONFIG: Final = _SHARED / "config"
_OFTEN: Final = 5  # the files that most users write are tried more often
_FLEET: Final = """
frame: map
arena: {x_min_m: 0, y_min_m: 0, x_max_m: 3, y_max_m: 2}
link: {targets: ['tcp:host=localhost;port=33333', 'ser:name=Thymio'], switch_port: 40000}
rates: {control_hz: 20, odometry_hz: 20, pose_hz: 10, status_hz: 1}
localization: {degraded_s: 0.5, lost_s: 2, position_std_m: 0.0015}
motion: {speed_mps: 0.14, acceleration_mps2: 0.5, turn_radps: 3.0, backward: true}
tracker: {law: lqr}
motion_capture: {up: y, unit_m: 0.001}
floor:
  walls: [{x1_m: 0, y1_m: 1.9, x2_m: 1, y2_m: 1.9}]
  keep_out: [[{x_m: 2, y_m: 1}, {x_m: 3, y_m: 1}, {x_m: 3, y_m: 2}]]
dispatch: {enabled: true}
stations: [{name: A, pose: {x_m: 1.1, y_m: 0.3, heading_rad: 0.0}, role: load}]
driver: {publish: {odom: true}, accept: {cmd_vel: true}, rates: {imu_hz: 8}}
robots:
- {id: 1, node_id: 1, home: {x_m: 0.5, y_m: 0.5, heading_rad: 1.0}, pose_topic: /mocap/thymio_1/pose}
- {id: 2, uuid: '00000000000000000000000000000002', home: {x_m: 1.5, y_m: 0.5}, initial_pose: {x_m: 1, y_m: 1}}
"""
_WORLD: Final = """
network: {address: 127.0.0.1, port: 33333}
seed: 1
arena: {width_m: 3, height_m: 2}
walls: [{x1_m: 0.4, y1_m: 1.5, x2_m: 0.6, y2_m: 1.5}]
objects: [{name: crate, shape: box, x_m: 2.0, y_m: 1.5, movable: false}, {shape: cylinder, x_m: 2.5, y_m: 1.5}]
chargers: [{x_m: 1, y_m: 1}]
motion_capture: {enabled: true}
motors: {dead_band_raw: 0}
radio: {queue_messages: 4}
robots: [{node_id: 1, x_m: 0.5, y_m: 0.5}, {node_id: 2, x_m: 1.5, y_m: 0.5, charge: 0.5}]
"""
_CALIBRATION: Final = """
robots: [{id: 1, wheels: {left_unit_mps: 0.0003, right_unit_mps: 0.0003, axle_length_m: 0.094}}, {id: 2, node_id: 2}]
"""
_PLAYGROUND: Final = """<!DOCTYPE aseba-playground>
<aseba-playground>
  <author name="A" email="a@b.c"/><description lang="en">text</description>
  <color name="white" r="1.0" g="1.0" b="1.0"/>
  <world w="110" h="110" color="white"/>
  <wall x="40" y="40" l1="2" l2="20" h="10" color="white"/>
  <cylinder x="20" y="80" r="3" h="10" mass="100" color="white"/>
  <robot type="thymio2" x="60" y="60" port="33333" angle="1.57" name="Thymio II" nodeId="1"/>
</aseba-playground>
"""


class _DisagreementError(Exception):
    """`check` and the program do not agree about a file; no reader raises it."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A valid file: its kind, what its name ends with, its text, and what reads it."""

    kind: FileKind
    ending: str
    text: str
    load: Callable[[Path], Any]


def file_door(seed: int) -> ReaderDoor:
    """Return the door of all files that `check` knows."""
    samples = _samples()
    folder = Path(tempfile.mkdtemp(prefix="doors"))

    def make(chance: Generator) -> tuple[object, Attempt]:
        sample = pick(chance, samples)
        data = _changed_file(sample, chance)
        file = folder / f"file{sample.ending}"
        return (sample.kind.value, data), lambda: _is_accepted_by_both(sample, file, data)

    return ReaderDoor("files", seed, make, (FleetError, WorldError, ExperimentError))


def _samples() -> list[_Sample]:
    return [
        *(_Sample(FileKind.FLEET, ".yaml", _FLEET, load_config) for _ in range(_OFTEN)),
        *(_Sample(FileKind.WORLD, ".yaml", _WORLD, _simulate) for _ in range(_OFTEN)),
        _Sample(FileKind.FLEET, ".yaml", _text(_CONFIG / "fleet.yaml"), load_config),
        _Sample(FileKind.WORLD, ".yaml", _text(_CONFIG / "world.yaml"), _simulate),
        *(_Sample(FileKind.PATH, file.suffix, _text(file), _all_laps) for file in _all(_EXAMPLES / "paths")),
        *(_Sample(FileKind.EXPERIMENT, ".yaml", _text(f), load_experiment) for f in _all(_EXAMPLES / "experiments")),
        _Sample(FileKind.CALIBRATION, ".yaml", _CALIBRATION, load_calibrations),
        _Sample(FileKind.WORLD, ".playground", _PLAYGROUND, _simulate),
    ]


def _simulate(file: Path) -> None:
    """Read a world as the simulator does, and simulate a step."""
    Simulation(load_world(file)).step()


def _all_laps(file: Path) -> Any:
    """Read a path as the driver does."""
    return load_path(file).path


def _all(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix in (".yaml", ".csv"))


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _changed_file(sample: _Sample, chance: Generator) -> bytes:
    """Return a file's content: changed as a tree, as a text or as bytes; seldom not at all."""
    kind = chance.random()
    if kind < 0.55 and sample.ending == ".yaml":
        tree = changed(yaml.load(sample.text, yaml.CSafeLoader), chance)
        if chance.random() < 0.5:
            return json.dumps(tree, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")
        return str(yaml.dump(tree, Dumper=_Dumper, allow_unicode=True)).encode("utf-8", "surrogatepass")
    if kind < 0.9:
        return changed_text(sample.text, chance).encode("utf-8", "surrogatepass")
    if kind < 0.95:
        return changed_bytes(sample.text.encode(), chance)
    return odd_text(chance).encode("utf-8", "surrogatepass") if kind < 0.97 else sample.text.encode()


class _Dumper(yaml.CSafeDumper):
    """Writes no aliases: a value that occurs twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never refer to another value."""
        return True


def _is_accepted_by_both(sample: _Sample, file: Path, data: bytes) -> bool:
    file.write_bytes(data)
    mistakes = check_file(file, sample.kind).mistakes
    try:
        sample.load(file)
    except (FleetError, WorldError, ExperimentError) as error:
        if not mistakes:
            raise _DisagreementError(f"check: ok; program: {error}") from error
        return False
    if mistakes:
        raise _DisagreementError(f"check: {mistakes}; program: accepted")
    return True
