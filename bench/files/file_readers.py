"""Reads one file as our programs do, and reports the result."""

import importlib
import signal
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final

import numpy as np

from aseba_link.aesl.compiler import compile_code
from aseba_link.aesl.program import read_program
from aseba_link.errors import AsebaLinkError
from bench.files.pinocchio_peer import largest_difference
from bench.files.tagged import with_tags
from body.description.urdf_reader import read_urdf
from body.errors import DescriptionError
from body.expansion.robot_file import NO_LINK, robot_text
from body.kinematics.layout import BodyLayout
from experiments.checks.file_kind import FileKind, recognize
from fleet.errors import FleetError
from fleet.settings.path_file import load_path
from fleet.settings.waypoint_file import holds_waypoints
from simulator.errors import SimulatorError
from simulator.firmware.thymio import thymio_description
from simulator.simulation.simulation import Simulation
from simulator.world.config import read_world, world_of
from simulator.world.playground_file import is_playground
from thymio_base.errors import SettingsError, TextError

_LONGEST_S: Final = 120  # for one file
_STEPS: Final = 5  # of a simulated world
_CONFIGURATIONS: Final = 5  # of a body compared with the peer
_TOLERANCE: Final = 1e-9
_REFUSALS: Final = (AsebaLinkError, DescriptionError, FleetError, SettingsError, SimulatorError, TextError)


class FileSort(Enum):
    """The kind of a file, by its name and content."""

    URDF = "urdf"  # a robot, with or without tags of the coupler
    XACRO = "xacro"  # a robot that is expanded first
    WORLD = "world"  # the playground's format, or ours
    PATH = "path"  # waypoints, or a path of ours
    SCRIPT = "script"  # Aseba


class Verdict(Enum):
    """The result of reading a file."""

    READ = "read"
    REFUSED = "refused"  # with a reason
    CRASHED = "crashed"  # by an exception that is not a refusal, or after a long time
    WRONG = "wrong_kinematics"  # read, and its poses differ from those of Pinocchio


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of reading one file; `words` are the reason or the traceback."""

    sort: FileSort
    file: str
    verdict: Verdict
    words: str = ""


def sort_of(file: Path) -> FileSort | None:
    """Return the kind of a file; None if it is of no kind, or only a part of a file."""
    suffixes, text = [one.lower() for one in file.suffixes], _text(file)
    if suffixes[-1:] in ([".aesl"], [".aseba"]):
        return FileSort.SCRIPT
    if suffixes[-1:] == [".xacro"]:
        return FileSort.XACRO if suffixes[-2:] == [".urdf", ".xacro"] else None  # others are parts of robots
    if suffixes[-1:] == [".urdf"]:
        return FileSort.XACRO if "<xacro:" in text else FileSort.URDF
    if suffixes[-1:] == [".playground"]:
        return FileSort.WORLD
    with suppress(*_REFUSALS):
        return _sort_of_text(file, text)
    return None


def _sort_of_text(file: Path, text: str) -> FileSort | None:
    """Return whether a text is a world or a path; raise a refusal if it cannot be read."""
    kind = recognize(file, text).kind if file.suffix.lower() == ".yaml" else FileKind.PATH
    if kind is not FileKind.PATH:
        return FileSort.WORLD if kind is FileKind.WORLD else None
    return FileSort.PATH if not is_playground(file) and holds_waypoints(file, text) else None


def tried(file: Path) -> FileResult | None:
    """Return the result of a file; None if it is of no kind, or Pinocchio cannot read it either."""
    sort = sort_of(file)
    if sort is None:
        return None
    try:
        with _time_limit():
            return FileResult(sort, str(file), _READERS[sort](file))
    except _REFUSALS as error:
        is_part = NO_LINK in str(error)  # macros of a robot
        is_refused = not is_part and _is_for_others(sort, file)
        return FileResult(sort, str(file), Verdict.REFUSED, str(error)) if is_refused else None
    except Exception:
        return FileResult(sort, str(file), Verdict.CRASHED, traceback.format_exc())


def _robot(file: Path) -> Verdict:
    text = robot_text(file, {})
    read_urdf(text)
    tagged = with_tags(text)
    layout, peer = BodyLayout(read_urdf(tagged)), _pinocchio()
    if peer is None:
        return Verdict.READ
    rng = np.random.default_rng(zlib.crc32(file.name.encode()))
    try:
        largest = largest_difference(peer, layout, tagged, rng, _CONFIGURATIONS)
    except (ValueError, RuntimeError):  # a robot that the peer does not read
        return Verdict.READ
    return Verdict.READ if largest <= _TOLERANCE else Verdict.WRONG


def _world(file: Path) -> Verdict:
    simulation = Simulation(world_of(file, read_world(file)))
    for _ in range(_STEPS):
        simulation.step()
    return Verdict.READ


def _path(file: Path) -> Verdict:
    load_path(file)
    return Verdict.READ


def _script(file: Path) -> Verdict:
    script = read_program(str(file), {}).script
    description = thymio_description()
    for code in script.codes:
        compile_code(code.text, script.events, script.constants, description)
    return Verdict.READ


_READERS: Final = {
    FileSort.URDF: _robot,
    FileSort.XACRO: _robot,
    FileSort.WORLD: _world,
    FileSort.PATH: _path,
    FileSort.SCRIPT: _script,
}


def _is_for_others(sort: FileSort, file: Path) -> bool:
    """Whether Pinocchio reads a URDF, where it is installed; True for other files."""
    peer = _pinocchio()
    if peer is None or sort is not FileSort.URDF:
        return True
    try:
        peer.buildModelFromXML(_text(file))
    except (ValueError, RuntimeError):
        return False
    return True


def _pinocchio() -> ModuleType | None:
    with suppress(ImportError):
        return importlib.import_module("pinocchio")
    return None


def _text(file: Path) -> str:
    with suppress(OSError):
        return file.read_text(encoding="utf-8", errors="replace")
    return ""


@contextmanager
def _time_limit() -> Iterator[None]:
    """Raise TimeoutError if a file takes too long; the signal has no other use in this process."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"it takes more than {_LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_LONGEST_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
