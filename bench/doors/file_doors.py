"""The door of users' files: `thymio-fleet check` and the programs that read them must agree on each file."""

import json
import tempfile
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from numpy.random import Generator

from aseba_link.aesl.compiler import ScriptCompiler, compile_code, shipped_script
from aseba_link.aesl.program import read_program
from aseba_link.errors import ScriptError
from aseba_link.host.script_policy import ScriptPolicy
from aseba_link.link.aseba_link import AsebaLink
from aseba_link.link.connection import Connection
from aseba_link.link.target import Target
from aseba_link.thymio.events import script_constants
from bench.doors.reader_doors import Attempt, ReaderDoor
from bench.doors.requests.odd_values import changed, changed_bytes, changed_text, odd_text, pick
from bench.doors.requests.words import SCRIPT
from body.description.urdf_reader import read_urdf
from body.errors import BodyError
from body.kinematics.layout import BodyLayout
from body.ros.message_types import RosMessageTypes
from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from experiments.scenarios.file.experiment_file import ExperimentError
from experiments.scenarios.file.study_file import load_study
from fleet.books.memory_book import MemoryBook
from fleet.dispatch.dispatcher import Dispatcher
from fleet.errors import FleetError
from fleet.service.fleet_service import FleetService
from fleet.settings.calibration_file import load_calibrations
from fleet.settings.config import load_config
from fleet.settings.path_file import load_path
from simulator.conductor.launch_file import load_stack
from simulator.errors import ConductorError, WorldError
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import load_world
from thymio_base.errors import SettingsError
from thymio_base.instant import Instant
from thymio_base.settings_file import load_text

_SHARED: Final = Path(__file__).parents[2]
_SHIPPED_SCRIPT: Final = _SHARED / "aseba_link" / "thymio" / "thymio.aesl"
_OWN_ERRORS: Final = (FleetError, WorldError, ExperimentError, ScriptError, BodyError, SettingsError, ConductorError)
_EXAMPLES: Final = _SHARED / "examples"
_CONFIG: Final = _SHARED / "config"
_OFTEN: Final = 5  # files that most users write are tried this much more often
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


_LAUNCH: Final = """
nodes:
  /node: {config_file: node.yaml, remappings: {in: /out}}
"""
_NODE: Final = """
name: node
callbacks:
- {name: tick, trigger: {type: timer, period: 50000000}, outputs: [out]}
- {trigger: {type: topic, name: in}, outputs: [], service_calls: [/call]}
services: [/serve]
"""


class _DisagreementError(Exception):
    """`check` and the program disagree about a file; no reader raises this error."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """A valid file: its kind, the ending of its name, its text, and its reader.

    For kinds unknown to `check`, the kind is a string, and `load` reads the file and uses its content.
    """

    kind: FileKind | str
    ending: str
    text: str
    load: Callable[[Path], Any]


def file_door(seed: int, *, is_deep: bool = False) -> ReaderDoor:
    """Return the door of all files that users write; with `is_deep`, fleets are served, not only read."""
    samples = [*_samples(_serve if is_deep else load_config), *_unchecked_samples()]
    folder = Path(tempfile.mkdtemp(prefix="doors"))

    def make(chance: Generator) -> tuple[object, Attempt]:
        sample = pick(chance, samples)
        data = _changed_file(sample, chance)
        file = folder / f"file{sample.ending}"
        return (str(sample.kind), data), lambda: _is_accepted_by_both(sample, file, data)

    return ReaderDoor("files", seed, make, _OWN_ERRORS)


def _samples(load_fleet: Callable[[Path], Any]) -> list[_Sample]:
    return [
        *(_Sample(FileKind.FLEET, ".yaml", _FLEET, load_fleet) for _ in range(_OFTEN)),
        *(_Sample(FileKind.WORLD, ".yaml", _WORLD, _simulate) for _ in range(_OFTEN)),
        _Sample(FileKind.FLEET, ".yaml", _text(_CONFIG / "fleet.yaml"), load_fleet),
        _Sample(FileKind.WORLD, ".yaml", _text(_CONFIG / "world.yaml"), _simulate),
        *(_Sample(FileKind.PATH, file.suffix, _text(file), _all_laps) for file in _all(_EXAMPLES / "paths")),
        *(_Sample(FileKind.EXPERIMENT, ".yaml", _text(f), load_study) for f in _all(_EXAMPLES / "experiments")),
        _Sample(FileKind.CALIBRATION, ".yaml", _CALIBRATION, load_calibrations),
        _Sample(FileKind.WORLD, ".playground", _PLAYGROUND, _simulate),
        *(_Sample(FileKind.SCRIPT, ".aesl", text, _compile) for text in (SCRIPT, _text(_SHIPPED_SCRIPT))),
    ]


def _unchecked_samples() -> list[_Sample]:
    """Return files of the kinds without a check."""
    bodies = sorted((_EXAMPLES / "bodies").glob("*.urdf"))
    return [
        *(_Sample("body", ".urdf", _text(file), _couple) for file in bodies[:2]),
        _Sample("stack", ".yaml", _LAUNCH, _launch),
        _Sample("node", ".yaml", _NODE, _conduct),
    ]


def _serve(file: Path) -> None:
    """Read a fleet as the driver does, and let it tick; no target answers."""
    config = load_config(file)
    script = shipped_script().with_constants(script_constants(config.rates.odometry_hz, config.reports))
    link = AsebaLink(config.link.targets, ScriptPolicy(ScriptCompiler(script)), _Nobody())
    service = FleetService(config, link)
    service.tick(0)
    if config.dispatch.enabled:
        Dispatcher(config, service, MemoryBook(), Instant(0, 0)).advance([], Instant(0, 0))


class _Nobody:
    """Reaches no target."""

    def dial(self, _: Target) -> "Future[Connection]":
        """Return a future that never completes."""
        return Future()


def _compile(file: Path) -> None:
    """Read a script as asebaros does, and compile its code for a robot."""
    script, description = read_program(str(file), {}).script, thymio_description()
    code = script.code_for(description.name, 1)
    if code is not None:
        compile_code(code.text, script.events, script.constants, description)


def _conduct(file: Path) -> None:
    """Read a file as the configuration of a node in a stack."""
    launch = file.with_name("stack.yaml")
    launch.write_text(f"nodes: {{/node: {{config_file: {file.name}}}}}", encoding="utf-8")
    _launch(launch)


def _launch(file: Path) -> None:
    """Read a stack of nodes as the conductor does."""
    file.with_name("node.yaml").write_text(_NODE, encoding="utf-8")
    load_stack(file, Path)


def _couple(file: Path) -> None:
    """Read a body as the coupler does, and lay it out."""
    BodyLayout(read_urdf(load_text(file), RosMessageTypes()))


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
    """Return a file's content, changed as a tree, as text or as bytes; rarely unchanged."""
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
    """Writes repeated values in full, without aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True, so that no alias is written."""
        return True


def _is_accepted_by_both(sample: _Sample, file: Path, data: bytes) -> bool:
    file.write_bytes(data)
    if not isinstance(sample.kind, FileKind):
        sample.load(file)
        return True
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
