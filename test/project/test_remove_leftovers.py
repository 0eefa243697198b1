"""`make clean` removes what killed programs have left behind, and nothing that is used."""

import fcntl
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools/remove_leftovers.py"))
SEGMENT, PORT = "fastrtps_0123456789abcdef", "fastrtps_port7411"


def segment(folder: Path, base: str, *, age_s: float = 100.0, locks: tuple[str, ...] = ("_el",)) -> None:
    """Write the files of shared memory."""
    for name in (base, *(f"{base}{lock}" for lock in locks)):
        path = folder / name
        path.write_bytes(b"")
        before_s = path.stat().st_mtime - age_s
        os.utime(path, (before_s, before_s))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_memory_with_a_free_lock_is_removed(tmp_path: Path) -> None:
    segment(tmp_path, SEGMENT)
    assert TOOL["remove_shared_memory"](tmp_path) == [tmp_path / SEGMENT]
    assert names(tmp_path) == []


def test_mutex_of_a_port_is_removed_with_it(tmp_path: Path) -> None:
    segment(tmp_path, PORT, locks=("_el", "_sl"))
    (tmp_path / f"sem.{PORT}_mutex").write_bytes(b"")
    TOOL["remove_shared_memory"](tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("lock", ["_el", "_sl"])
def test_memory_that_a_program_has_locked_is_kept(lock: str, tmp_path: Path) -> None:
    segment(tmp_path, PORT, locks=("_el", "_sl"))
    before = names(tmp_path)
    with (tmp_path / f"{PORT}{lock}").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        assert TOOL["remove_shared_memory"](tmp_path) == []
    assert names(tmp_path) == before


def test_new_memory_without_a_lock_is_kept(tmp_path: Path) -> None:
    segment(tmp_path, SEGMENT, age_s=0.0, locks=())
    assert TOOL["remove_shared_memory"](tmp_path) == []


def test_old_memory_without_a_lock_is_removed(tmp_path: Path) -> None:
    segment(tmp_path, SEGMENT, locks=())
    assert TOOL["remove_shared_memory"](tmp_path) == [tmp_path / SEGMENT]


def test_memory_of_other_libraries_is_kept(tmp_path: Path) -> None:
    for name in ("fastrtps_else", "sem.other", "mine"):
        (tmp_path / name).write_bytes(b"")
    TOOL["remove_shared_memory"](tmp_path)
    assert names(tmp_path) == ["fastrtps_else", "mine", "sem.other"]


def test_folder_of_a_demo_that_has_ended_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "thymio-fleet-demo-1"
    folder.mkdir()
    (folder / "driver.log").write_text("")
    (tmp_path / "other").mkdir()
    assert TOOL["remove_demo_folders"](tmp_path) == [folder]
    assert names(tmp_path) == ["other"]


def test_folder_of_a_demo_that_runs_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "thymio-fleet-demo-1"
    folder.mkdir()
    program = subprocess.Popen([sys.executable, "-c", "input()", str(folder)], stdin=subprocess.PIPE)
    try:
        assert TOOL["remove_demo_folders"](tmp_path) == []
    finally:
        program.communicate()
    assert names(tmp_path) == ["thymio-fleet-demo-1"]
