"""Xacro files are expanded with their arguments, packages and macros, and cannot do anything else."""

import os
from pathlib import Path

import pytest

from body.description.urdf_reader import read_urdf
from body.errors import DescriptionError
from body.expansion.package_folders import package_folder
from body.expansion.robot_file import robot_text

HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
ARM = f"""{HEAD}
<xacro:arg name="length" default="0.5"/>
<xacro:arg name="sides" default="1"/>
<xacro:include filename="$(find my_arms)/urdf/parts.xacro"/>
<xacro:property name="sizes" value="${{[1, 2]}}"/>
<link name="base"/>
<xacro:finger name="a" at="${{radians(90) * sizes[1] + $(arg length)}}"/>
<xacro:if value="${{$(arg sides) > 1}}"><xacro:finger name="b" at="0"/></xacro:if>
</robot>"""
PARTS = f"""{HEAD}
<xacro:macro name="finger" params="name at"><link name="${{name}}">
<visual><geometry><mesh filename="package://my_arms/meshes/finger.stl"/></geometry></visual></link>
<joint name="j_${{name}}" type="fixed"><parent link="base"/><child link="${{name}}"/><origin xyz="${{at}} 0 0"/></joint>
</xacro:macro></robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """A package beside that of the file."""
    for name, files in (("my_arms", {"urdf/parts.xacro": PARTS}), ("my_robot", {"urdf/arm.urdf.xacro": ARM})):
        for file, text in {"package.xml": f"<package><name>{name}</name></package>", **files}.items():
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).write_text(text)
    return tmp_path / "my_robot/urdf/arm.urdf.xacro"


def test_file_is_expanded_with_its_arguments(arm: Path) -> None:
    tree = read_urdf(robot_text(arm, {"length": "1.0", "sides": "2"}))
    assert [joint.name for joint in tree.joints] == ["j_a", "j_b"]
    assert tree.joints[0].origin[0, 3] == pytest.approx(3.14159265 + 1.0)


def test_unknown_argument_is_refused_with_the_nearest(arm: Path) -> None:
    with pytest.raises(DescriptionError, match="it has no argument 'lenght', did you mean 'length'"):
        robot_text(arm, {"lenght": "1"})


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("${(lambda: ().__class__.__base__.__subclasses__())()}", "uses '__"),
        ("${'a' * 10**12}", "MemoryError|memory"),
        ('<xacro:include filename="none.xacro"/>', "No such file or directory: .*none.xacro"),
        ('<xacro:include filename="$(find nowhere)/x"/>', "there is no package 'nowhere'"),
        ("${1/0}", "division by zero"),
        ("$(arg side)", "the argument side is missing; give it as side:=VALUE"),
    ],
)
def test_failed_expansion_is_reported(tmp_path: Path, inside: str, expected: str) -> None:
    file = tmp_path / "bad.xacro"
    file.write_text(f"{HEAD}<link name='a'/>{inside}</robot>")
    with pytest.raises(DescriptionError, match=f"xacro: .*bad.xacro.*({expected})|({expected})"):
        robot_text(file, {})


def test_a_defect_of_the_process_is_not_called_a_missing_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.xacro"
    file.write_text(f"{HEAD}<link name='a'/></robot>")
    (tmp_path / "xacro.py").write_text("raise ValueError('broken installation')")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    with pytest.raises(DescriptionError, match="xacro has ended: ValueError: broken installation"):
        robot_text(file, {})


def test_plain_file_has_no_arguments(tmp_path: Path) -> None:
    file = tmp_path / "plain.urdf"
    file.write_text("<robot name='r'><link name='a'/></robot>")
    assert "<link" in robot_text(file, {})
    with pytest.raises(DescriptionError, match="a:=1: only xacro files have arguments"):
        robot_text(file, {"a": "1"})


def test_packages_are_those_installed_before_those_beside(
    arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert package_folder("my_arms", arm) == tmp_path / "my_arms"
    index = tmp_path / "opt/share/ament_index/resource_index/packages"
    index.mkdir(parents=True)
    (index / "my_arms").touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "opt"))
    assert package_folder("my_arms", arm) == tmp_path / "opt/share/my_arms"
    with pytest.raises(LookupError, match="there is no package 'my_legs'"):
        package_folder("my_legs", arm)


def test_sources_of_a_package_may_lie_in_another_folder_and_deeper(arm: Path, tmp_path: Path) -> None:
    (tmp_path / "my_arms").rename(tmp_path / "arms")
    (tmp_path / "arms/description").mkdir()
    (tmp_path / "arms/urdf").rename(tmp_path / "arms/description/urdf")
    assert [joint.name for joint in read_urdf(robot_text(arm, {})).joints] == ["j_a"]
    (tmp_path / "arms/other").symlink_to(tmp_path / "arms/description")
    with pytest.raises(DescriptionError, match=r"No such file or directory: .*arms/urdf/parts.xacro$"):
        robot_text(arm, {})


def test_file_of_macros_alone_is_not_a_robot(arm: Path) -> None:
    with pytest.raises(DescriptionError, match="it has no link: a file of macros is a part of a robot"):
        robot_text(arm.parents[2] / "my_arms/urdf/parts.xacro", {})
