import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
def test_path_that_is_not_a_file_is_refused_by_name(path: str, problem: str) -> None:
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


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("go", "led.top", "über", "_own"), ("go", "led_top", "event_ber", "_own")),
        (("led.top", "led_top"), ("led_top_0", "led_top")),
        (("вперёд", "tick.tock", "налево"), ("event_0", "tick_tock", "event_2")),
        (("été", "ètè", "event_t__1"), ("event_t_", "event_t__1_", "event_t__1")),
        (("2nd",), ("event_2nd",)),
        (("x" * 101, "x" * 102), ("x" * 80, "x" * 80 + "_1")),
        (("e\u0301", "\u00e9"), ("e_", "event_1")),
    ],
)
def test_events_have_topics_of_their_own_with_names_that_ros_accepts(
    names: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert parse_program("p", events(*names), {}).topics == expected


@given(st.lists(st.text("aé.__1", min_size=1, max_size=6), max_size=8, unique=True))
def test_topics_of_events_are_unique_and_valid(names: list[str]) -> None:
    topics = parse_program("p", events(*names), {}).topics
    assert len(set(topics)) == len(names)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", topic) for topic in topics)


def test_file_in_another_encoding_is_named_as_such() -> None:
    data = '<network>\n<node name="thymio-II">\n# tourné\n</node></network>'.encode("latin-1")
    with pytest.raises(ScriptError, match=r'^p:3: not UTF-8: .*encoding="ISO-8859-1"\?>$'):
        parse_program("p", data, {})
    declared = b'<?xml version="1.0" encoding="ISO-8859-1"?>\n' + data
    assert "tourné" in parse_program("p", declared, {}).script.codes[0].text
