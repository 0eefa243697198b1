"""What a killed driver leaves behind, and what a driver that ends does not."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fleet.hosts.local_drivers import domain_folder
from fleet.ros.service_record import ServiceRecord, killed_drivers, orphaned_robots

SILENT_S = 5.0
DRIVER = """
import sys, time
from pathlib import Path
from fleet.ros.service_record import ServiceRecord
record = ServiceRecord(Path(sys.argv[1]), "driver")
record.write([3, 1], is_alone=sys.argv[2] == "alone")
print("ready", flush=True)
time.sleep(60)
"""


def killed_driver(folder: Path, company: str = "with others") -> None:
    """Kill a process that keeps a record."""
    command = [sys.executable, "-c", DRIVER, str(folder), company]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        assert orphaned_robots(folder, SILENT_S) == set()  # while the process runs
        assert killed_drivers(folder, ["driver"]) == set()
        driver.send_signal(signal.SIGKILL)


def test_robots_of_a_killed_driver_are_reported_as_orphans_once(tmp_path: Path) -> None:
    killed_driver(tmp_path)
    assert orphaned_robots(tmp_path, SILENT_S) == {1, 3}
    assert orphaned_robots(tmp_path, SILENT_S) == set()


def test_robots_of_a_driver_that_died_long_ago_are_not_orphans(tmp_path: Path) -> None:
    killed_driver(tmp_path)
    set_back(tmp_path, SILENT_S)
    assert orphaned_robots(tmp_path, SILENT_S) == set()


@pytest.mark.parametrize(("age_s", "robots"), [(SILENT_S, {1, 3}), (60.0, set[int]())])
def test_robots_of_a_driver_that_was_alone_stay_orphans_for_longer(
    tmp_path: Path, age_s: float, robots: set[int]
) -> None:
    killed_driver(tmp_path, "alone")
    set_back(tmp_path, age_s)
    assert orphaned_robots(tmp_path, SILENT_S) == robots


def test_killed_driver_is_distinguished_from_one_that_ended_or_is_elsewhere(tmp_path: Path) -> None:
    killed_driver(tmp_path)
    ServiceRecord(tmp_path, "ended").close()
    assert killed_drivers(tmp_path, ["driver", "ended", "on another host", "../driver"]) == {"driver"}
    assert killed_drivers(tmp_path / "none", ["driver"]) == set()
    assert orphaned_robots(tmp_path, SILENT_S) == {1, 3}
    assert killed_drivers(tmp_path, ["driver"]) == {"driver"}  # although another driver has taken its robots over


def test_records_of_dead_drivers_are_removed_at_last(tmp_path: Path) -> None:
    killed_driver(tmp_path)
    set_back(tmp_path, 61.0)
    assert orphaned_robots(tmp_path, SILENT_S) == set()
    assert orphaned_robots(tmp_path, SILENT_S) == set()
    assert list(tmp_path.iterdir()) == []


def set_back(folder: Path, age_s: float) -> None:
    """Backdate a record."""
    file = folder / "driver.json"
    values = json.loads(file.read_text())
    file.write_text(json.dumps(values | {"written_s": values["written_s"] - age_s}))
    changed_s = file.stat().st_mtime - age_s
    os.utime(file, (changed_s, changed_s))


@pytest.mark.parametrize("jump_s", [-3600.0, 3600.0])
def test_orphans_do_not_depend_on_the_clock_that_people_set(tmp_path: Path, jump_s: float) -> None:
    killed_driver(tmp_path)
    changed_s = (tmp_path / "driver.json").stat().st_mtime - jump_s
    os.utime(tmp_path / "driver.json", (changed_s, changed_s))
    assert orphaned_robots(tmp_path, SILENT_S) == {1, 3}


def test_record_of_an_earlier_life_of_the_host_has_no_orphans(tmp_path: Path) -> None:
    killed_driver(tmp_path, "alone")
    set_back(tmp_path, -3600.0)
    assert orphaned_robots(tmp_path, SILENT_S) == set()


def test_a_driver_that_ends_leaves_no_orphans(tmp_path: Path) -> None:
    record = ServiceRecord(tmp_path, "driver")
    record.write([1], is_alone=True)
    record.close()
    assert (orphaned_robots(tmp_path, SILENT_S), list(tmp_path.iterdir())) == (set(), [])


def test_last_record_written_counts(tmp_path: Path) -> None:
    record = ServiceRecord(tmp_path, "driver")
    record.write([10, 11, 12], is_alone=False)
    record.write([2], is_alone=True)
    values = json.loads((tmp_path / "driver.json").read_text())
    assert (values["robots"], values["is_alone"]) == ([2], True)
    record.close()


@pytest.mark.parametrize("text", ["", "[1,", "{}x", "7", '["a"]', "null", '{"robots": ["a"], "is_alone": true}'])
def test_broken_record_is_ignored_and_set_aside(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.json").write_text(text)
    assert orphaned_robots(tmp_path, SILENT_S) == set()
    assert [path.name for path in tmp_path.iterdir()] == ["broken.dead"]


def test_no_record_is_kept_without_a_folder(tmp_path: Path) -> None:
    assert orphaned_robots(tmp_path / "missing", SILENT_S) == set()


def test_each_ros_domain_has_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert domain_folder(3) != domain_folder(4)
    assert tmp_path in domain_folder(3).parents


FULL_DISK = """
import resource, sys
from pathlib import Path
from fleet.ros.service_record import ServiceRecord
record = ServiceRecord(Path(sys.argv[1]), "driver")
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
for _ in range(2):
    try:
        record.write([3, 1], is_alone=True)
    except OSError as error:
        print(error.strerror)
record.close()
"""


def test_record_on_a_full_disk_is_reported_at_each_write_and_can_be_closed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, 2 * "File too large\n", "")
    assert list(tmp_path.iterdir()) == []
