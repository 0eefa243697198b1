import os
from pathlib import Path

import pytest

from aseba_link.aesl.program import parse_program, read_program
from aseba_link.aesl.syntax.script import MAX_SCRIPT_SIZE
from aseba_link.errors import ScriptError


def events(*names: str) -> bytes:
    tags = "".join(f'<event name="{name}" size="0"/>' for name in names)
    return f"<network>{tags}</network>".encode()


def test_file_is_read_with_other_constants(tmp_path: Path) -> None:
    path = tmp_path / "a.aesl"
    path.write_text('<network><constant name="N" value="1"/></network>')
    assert read_program(str(path), {"N": 5}).script.constants == {"N": 5}


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/", "/: not a file"),
        ("/dev/zero", "/dev/zero: not a file"),
        ("nowhere/x.aesl", "nowhere/x.aesl: No such file or directory"),
        ("~nobody-of-this-name/x.aesl", "~nobody-of-this-name/x.aesl: "),
        ("a\0b", "null byte"),
    ],
)
def test_path_that_is_no_file_is_refused_by_name(path: str, problem: str) -> None:
    with pytest.raises(ScriptError, match=problem):
        read_program(path, {})


def test_pipe_without_a_writer_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ScriptError, match="not a file"):
        read_program(str(tmp_path / "pipe"), {})


def test_file_that_is_far_too_long_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "long.aesl"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ScriptError, match=f"longer than the {MAX_SCRIPT_SIZE} bytes"):
        read_program(str(path), {})


def test_events_have_topics_with_names_that_ros_accepts() -> None:
    assert parse_program("p", events("go", "led.top", "über"), {}).topics == ("go", "led_top", "_ber")


def test_events_that_would_share_a_topic_are_refused() -> None:
    with pytest.raises(ScriptError, match=r"events led.top and led_top would have the same topic, led_top"):
        parse_program("p", events("led.top", "led_top"), {})


@pytest.mark.parametrize("name", ["2nd", "x" * 101])
def test_event_whose_name_cannot_be_a_topic_is_refused(name: str) -> None:
    with pytest.raises(ScriptError, match=f"event {name}: a topic cannot start with a digit or be so long"):
        parse_program("p", events(name), {})
