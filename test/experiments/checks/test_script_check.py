"""Aseba scripts are checked as a Thymio would get them; other XML is not taken for a world."""

from pathlib import Path

import pytest

from experiments.checks.file_check import check_file
from experiments.checks.file_kind import FileKind

ROOT = Path(__file__).parents[3]
SCRIPT = """<!DOCTYPE aesl-source>
<!-- <aseba-playground> -->
<network>
  <event size="1" name="go"/>
  <constant value="7" name="SPEED"/>
  <node nodeId="1" name="thymio-II">onevent go
{code}
</node>
  <node nodeId="2" name="e-puck0">a Thymio cannot run this
</node>
</network>
"""


def written(folder: Path, text: str, name: str = "my.aesl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["my.aesl", "my.xml"])
def test_script_is_checked(tmp_path: Path, name: str) -> None:
    found = check_file(written(tmp_path, SCRIPT.format(code="motor.left.target = SPEED"), name))
    assert (found.kind, found.mistakes) == (FileKind.SCRIPT, ())
    assert found.summary == "script with 1 event, 1 constant, code for 2 kinds of nodes"
    assert found.notes == ("the code for 'e-puck0' is not compiled: only thymio-II is known here",)


def test_code_that_does_not_compile_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, SCRIPT.format(code="motor.left.taget = SPEED"))
    (mistake,) = check_file(file).mistakes
    assert mistake.startswith(f"{file}: line 7, column 1: there is no variable motor.left.taget; did you mean ")


def test_script_larger_than_the_robots_memory_is_a_mistake(tmp_path: Path) -> None:
    (mistake,) = check_file(written(tmp_path, SCRIPT.format(code="motor.left.target = SPEED\n" * 1000))).mistakes
    assert "words of bytecode, the node holds" in mistake


def test_code_without_xml_is_a_script(tmp_path: Path) -> None:
    assert check_file(written(tmp_path, "var speed = 100\n")).summary.startswith("script with 0 events")


def test_broken_script_is_a_script_with_a_mistake(tmp_path: Path) -> None:
    found = check_file(written(tmp_path, "<network>\n<event/></network>"))
    assert (found.kind, found.mistakes) == (FileKind.SCRIPT, (f"{tmp_path}/my.aesl:2: <event> has no name",))


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml", "arm.urdf.xacro"])
def test_robot_is_named_with_what_reads_it(tmp_path: Path, name: str) -> None:
    text = f'<?xml version="1.0"?>\n<!-- {"=" * 200} -->\n<robot name="arm"><link name="base"/></robot>'
    found = check_file(written(tmp_path, text, name))
    assert found.kind is None
    assert "rbc --urdf" in found.mistakes[0]


def test_shipped_script_is_valid() -> None:
    found = check_file(ROOT / "aseba_link/thymio/thymio.aesl")
    assert (found.kind, found.mistakes) == (FileKind.SCRIPT, ())
