"""Where ROS writes its logs if its usual folder cannot be written."""

from pathlib import Path

import pytest

from thymio_base.ros.log_folder import use_writable_log_folder


@pytest.fixture(autouse=True)
def _without_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", "")  # set first, so that it is restored
    monkeypatch.delenv("ROS_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_writable_home_is_used_and_not_created(tmp_path: Path) -> None:
    assert use_writable_log_folder() == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["HOME", "ROS_HOME", "ROS_LOG_DIR"])
def test_folder_that_cannot_be_created_is_replaced_and_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(name, str(tmp_path / "file"))
    note = use_writable_log_folder()
    assert note.startswith(f"cannot write logs to {tmp_path / 'file'}")
    assert note.endswith("; set ROS_LOG_DIR to a folder that can be written")


def test_the_note_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path / "file"))
    assert use_writable_log_folder() != ""
    assert use_writable_log_folder() == ""
