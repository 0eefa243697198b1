"""A check reports mistakes of any kind; it never fails itself."""

import copy
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind
from simulator.world.config import read_world

FLEET = """
arena: {x_min_m: 0, y_min_m: 0, x_max_m: 3, y_max_m: 2}
link: {targets: ['tcp:localhost;33333', 'ser:name=Thymio'], budgets_hz: {'ser:name=Thymio': 100}, switch_port: 40000}
rates: {control_hz: 20, odometry_hz: 20, pose_hz: 10, status_hz: 1}
localization: {degraded_s: 0.5, lost_s: 2}
floor:
  walls: [{x1_m: 0, y1_m: 1.9, x2_m: 1, y2_m: 1.9}]
  keep_out: [[{x_m: 2, y_m: 1}, {x_m: 3, y_m: 1}, {x_m: 3, y_m: 2}]]
robots:
- {id: 1, node_id: 1, target: 'tcp:localhost;33333', home: {x_m: 0.5, y_m: 0.5}, pose_topic: /mocap/thymio_1/pose}
- {id: 2, uuid: '00000000000000000000000000000002', home: {x_m: 1.5, y_m: 0.5}, initial_pose: {x_m: 1, y_m: 1}}
"""
WORLD = """
network: {address: 127.0.0.1, port: 33333}
arena: {width_m: 3, height_m: 2}
walls: [{x1_m: 0.4, y1_m: 1.5, x2_m: 0.6, y2_m: 1.5}]
objects: [{name: crate, shape: box, x_m: 2.0, y_m: 1.5, movable: false}, {shape: cylinder, x_m: 2.5, y_m: 1.5}]
chargers: [{x_m: 1, y_m: 1}]
motion_capture: {enabled: true}
robots: [{node_id: 1, x_m: 0.5, y_m: 0.5}, {node_id: 2, x_m: 1.5, y_m: 0.5, charge: 0.5}]
"""
CALIBRATION = """
robots: [{id: 1, wheels: {left_unit_mps: 0.0003, right_unit_mps: 0.0003, axle_length_m: 0.094}}, {id: 2, node_id: 2}]
"""
WRONG = st.sampled_from([None, 0, -1, 1e9, "x", "", [], {}, [None], {"a": 1}, True, float("nan"), float("inf")])


def places(values: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in a document with the key of every value in it."""
    keys = values if isinstance(values, dict) else range(len(values)) if isinstance(values, list) else ()
    for key in keys:
        yield values, key
        yield from places(values[key])


@st.composite
def broken(draw: st.DrawFn, text: str) -> str:
    """A document in which one to three values are replaced."""
    values = yaml.safe_load(text)
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(list(places(values))))
        container[key] = copy.deepcopy(draw(WRONG))
    return str(yaml.safe_dump(values))


@given(broken(FLEET), broken(WORLD))
def test_any_fleet_is_checked_with_any_world(fleet: str, world: str) -> None:
    with TemporaryDirectory() as name:
        (Path(name) / "fleet").write_text(fleet, encoding="utf-8")
        (Path(name) / "world").write_text(world, encoding="utf-8")
        assert check_file(Path(name) / "world", FileKind.WORLD).kind is FileKind.WORLD
        found = check_file(Path(name) / "fleet", FileKind.FLEET, read_world(Path(name) / "world"))
        assert found.mistakes or found.summary


@given(st.sampled_from([FLEET, WORLD, CALIBRATION]).flatmap(broken), st.sampled_from([None, *FileKind]))
def test_any_file_is_checked_as_any_kind(text: str, kind: FileKind | None) -> None:
    with TemporaryDirectory() as name:
        (Path(name) / "file").write_text(text, encoding="utf-8")
        found = check_file(Path(name) / "file", kind)
        assert found.mistakes or found.summary
