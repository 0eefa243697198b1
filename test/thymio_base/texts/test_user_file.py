"""What is not a file is reported at once: a pipe would keep a program waiting, a device would fill its memory."""

import os
from pathlib import Path

import pytest

from thymio_base.errors import SettingsError
from thymio_base.settings_file import load_text
from thymio_base.texts.user_file import may_exist, read_start


def test_start_of_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdef")
    assert (read_start(file, 3), read_start(file, 9)) == (b"abc", b"abcdef")


def test_named_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="named pipe"):
        read_start(tmp_path / "pipe", 9)


def test_pipe_of_a_shell_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"robots: []")
    os.close(writer)
    assert read_start(Path(f"/dev/fd/{reader}"), 99) == b"robots: []"
    os.close(reader)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (".", "Is a directory"),
        ("missing", "No such file"),
        ("loop", "Too many levels of symbolic links"),
        ("pipe", "is a named pipe"),
        ("x" * 300, "File name too long"),
        ("a\0b", "is not the name of a file"),
        ("zero", "has 1000001 bytes"),
        ("utf16", "not UTF-8 text"),
    ],
)
def test_file_that_is_not_a_settings_file_is_reported_in_a_line(tmp_path: Path, name: str, problem: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "utf16").write_text("robots: []", encoding="utf-16")
    with pytest.raises(SettingsError, match=problem):
        load_text(tmp_path / name)


@pytest.mark.parametrize("name", ["é" * 300, "x" * 5000, "a\0b", "none.yaml"])
def test_impossible_name_of_a_file_does_not_exist(name: str, tmp_path: Path) -> None:
    assert not may_exist(tmp_path / name)


def test_file_that_is_there_exists(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").touch()
    assert may_exist(tmp_path / "one.yaml")
    assert may_exist(tmp_path)
