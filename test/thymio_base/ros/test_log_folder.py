"""Where ROS writes the log files of our programs."""

import os
from pathlib import Path

import pytest

from thymio_base.ros.log_folder import KEPT_RUNS, remove_old_logs, use_log_folder, use_writable_log_folder

SUBSTITUTE = "; set ROS_LOG_DIR to a folder that can be written\n"
DEAD = 4_194_304  # above the largest process id of Linux


def write_log(folder: Path, number: int, process: int = DEAD) -> Path:
    """Write the log file of a run; later numbers are later runs."""
    path = folder / f"python3_{process}_{number}.log"
    path.write_text("a line\n")
    os.utime(path, ns=(number, number))
    return path


def test_logs_of_the_latest_runs_are_kept(tmp_path: Path) -> None:
    logs = [write_log(tmp_path, number) for number in range(5)]
    remove_old_logs(tmp_path, 2)
    assert sorted(tmp_path.iterdir()) == logs[3:]


def test_log_of_a_running_process_is_kept(tmp_path: Path) -> None:
    own = write_log(tmp_path, 1, os.getpid())
    remove_old_logs(tmp_path, 0)
    assert list(tmp_path.iterdir()) == [own]


def test_other_files_are_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    remove_old_logs(tmp_path, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_program_logs_into_a_folder_of_its_own_that_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", "")
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    folder = tmp_path / "log" / "thymio_fleet" / "driver"
    folder.mkdir(parents=True)
    for number in range(2 * KEPT_RUNS):
        write_log(folder, number)
    use_log_folder("driver")
    assert os.environ["ROS_LOG_DIR"] == str(folder)
    assert len(list(folder.iterdir())) == KEPT_RUNS - 1


def test_log_folder_of_the_user_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    log = write_log(tmp_path, 1)
    use_log_folder("driver")
    assert (os.environ["ROS_LOG_DIR"], list(tmp_path.iterdir())) == (str(tmp_path), [log])


def test_folder_that_cannot_be_written_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROS_LOG_DIR", "")
    monkeypatch.setenv("ROS_HOME", str(tmp_path / "file"))
    use_log_folder("driver")
    assert Path(os.environ["ROS_LOG_DIR"]).name == f"ros_log_{os.getuid()}"
    assert capsys.readouterr().err.endswith(SUBSTITUTE)


def test_folder_whose_name_is_too_long_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path / ("x" * 300)))
    use_writable_log_folder()
    assert Path(os.environ["ROS_LOG_DIR"]).name == f"ros_log_{os.getuid()}"
    assert capsys.readouterr().err.endswith(SUBSTITUTE)


def test_writable_home_is_used_and_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", "")
    monkeypatch.delenv("ROS_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    use_writable_log_folder()
    assert (capsys.readouterr().err, list(tmp_path.iterdir())) == ("", [])


@pytest.mark.parametrize("name", ["HOME", "ROS_HOME", "ROS_LOG_DIR"])
def test_folder_that_cannot_be_created_is_replaced_and_named_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ROS_LOG_DIR", "")
    monkeypatch.delenv("ROS_HOME", raising=False)
    monkeypatch.setenv(name, str(tmp_path / "file"))
    use_writable_log_folder()
    note = capsys.readouterr().err
    assert note.startswith(f"cannot write logs to {tmp_path / 'file'}")
    assert note.endswith(SUBSTITUTE)
    use_writable_log_folder()
    assert capsys.readouterr().err == ""
