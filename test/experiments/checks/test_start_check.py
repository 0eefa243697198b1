"""The files of a simulated fleet are checked before it starts."""

from pathlib import Path

import pytest

from experiments.checks.start_check import check_start
from fleet.errors import ConfigError

FLEET = "robots: [{id: 1, node_id: 1, home: {x_m: 0.5, y_m: 0.5}}, {id: 2, node_id: 2, home: {x_m: 1.5, y_m: 0.5}}]\n"
WORLD = "network: {port: 40000}\narena: {width_m: 3, height_m: 2}\nrobots: [{node_id: 1, x_m: 0.5, y_m: 0.5}]\n"


def files(folder: Path, fleet: str = FLEET, world: str = WORLD) -> tuple[Path, Path]:
    (folder / "fleet.yaml").write_text(fleet)
    (folder / "world.yaml").write_text(world)
    return folder / "fleet.yaml", folder / "world.yaml"


def test_what_does_not_fit_and_the_address_are_returned(tmp_path: Path) -> None:
    remarks, address = check_start(*files(tmp_path))
    assert address == ("127.0.0.1", 40000)
    assert any("robots[1].node_id: no robot of" in remark for remark in remarks)


def test_mistake_in_the_world_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"world.yaml:3: robts: unknown key, did you mean 'robots'\?"):
        check_start(*files(tmp_path, world=WORLD.replace("robots", "robts")))


def test_swapped_files_are_recognized(tmp_path: Path) -> None:
    fleet, world = files(tmp_path)
    with pytest.raises(
        ConfigError, match=r"world.yaml: this is a world, not a fleet; are --config and --world swapped"
    ):
        check_start(world, fleet)
