"""What outlives the dashboard, in folders that can be written and in others."""

from pathlib import Path

import pytest

from fleet.dashboard.kept_files import KeptFiles
from fleet.geometry import Pose2D
from fleet.settings.station_config import StationConfig, StationRole

STATION = StationConfig("A", Pose2D(1.0, 2.0, 0.5), StationRole.LOAD)
BROKEN = ["", "[", "7", "null", '["A"]', '[{"name": "A"}]', '[{"name": "A", "pose": ["nan", 0, 0], "role": "load"}]']


def test_keys_and_stations_are_there_in_the_next_life(tmp_path: Path) -> None:
    files = KeptFiles(tmp_path / "new")
    found = files.keys()
    files.station_keeper(3)([STATION])
    assert files.trouble == ""
    assert KeptFiles(tmp_path / "new").keys() == found
    assert KeptFiles(tmp_path / "new").stations(3) == [STATION]
    assert KeptFiles(tmp_path / "new").stations(4) == []


def test_keys_that_cannot_be_kept_are_those_of_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    files = KeptFiles(tmp_path / "file" / "state")
    keys, secret = files.keys()
    assert len({*keys.values(), secret}) == len(keys) + 1
    assert files.trouble == f"keys cannot be kept in {tmp_path}/file/state: Not a directory"


@pytest.mark.parametrize("text", BROKEN)
def test_broken_stations_are_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "stations_of_domain_3.json").write_text(text)
    assert KeptFiles(tmp_path).stations(3) == []


@pytest.mark.parametrize("text", ["", "{", "{}", '{"viewer": 1}'])
def test_broken_keys_are_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / "dashboard_keys.json").write_text(text)
    assert KeptFiles(tmp_path).keys() == KeptFiles(tmp_path).keys()
