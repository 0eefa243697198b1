"""Files of each kind that other people might have made, by a seed."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from harness.body.random_tree import random_tree

COUNT = 20  # of a kind
HEAD = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="made">'
JOINT = """<link name="l${at}"/><joint name="j${at}" type="continuous"><parent link="l${at - 1}"/><child link="l${at}"/>
<axis xyz="0 0 1"/><origin xyz="${length * at} 0 0" rpy="0 ${pi / 4} 0"/></joint>"""
CHAIN = f"""<xacro:macro name="chain" params="at left length:=0.1"><xacro:if value="${{left > 0}}">{JOINT}
<xacro:chain at="${{at + 1}}" left="${{left - 1}}" length="${{length}}"/></xacro:if></xacro:macro>"""
ROOT = '<link name="l0"/>'
XACRO = (  # by %s joints: a recursive macro, an argument, properties and conditions, a block, a list
    f'{HEAD}{CHAIN}{ROOT}<xacro:chain at="1" left="%s"/></robot>',
    f'{HEAD}<xacro:arg name="n" default="%s"/>{CHAIN}{ROOT}<xacro:chain at="1" left="$(arg n)"/></robot>',
    f"""{HEAD}<xacro:property name="length" value="${{0.05 * %s}}"/><xacro:property name="at" value="1"/>{ROOT}
<xacro:if value="${{length > 0}}">{JOINT}</xacro:if>
<xacro:unless value="${{length > 0}}"><a/></xacro:unless></robot>""",
    f"""{HEAD}<xacro:macro name="tool" params="*place"><link name="l1"/>
<joint name="j1" type="fixed"><parent link="l0"/><child link="l1"/><xacro:insert_block name="place"/></joint>
</xacro:macro>{ROOT}<xacro:tool><origin xyz="0 0 ${{%s / 10}}"/></xacro:tool></robot>""",
    f"""{HEAD}{CHAIN}<xacro:property name="sizes" value="${{[0.1 * k for k in range(1, 2 + %s)]}}"/>{ROOT}
<xacro:chain at="1" left="${{len(sizes)}}" length="${{max(sizes) + radians(10)}}"/></robot>""",
)
WALL = '<wall x="{:.1f}" y="{:.1f}" l1="{:.1f}" l2="1" h="10" mass="-1" angle="{:.2f}"/>'


def write_files(
    folder: Path, write: "Callable[[np.random.Generator, int], tuple[str, str]]", count: int = COUNT
) -> Path:
    """Write files into a folder; `write` returns the ending of the name, and the text."""
    folder.mkdir()
    for number in range(count):
        ending, text = write(np.random.default_rng(number), number)
        (folder / f"made_{number}{ending}").write_text(text, encoding="utf-8")
    return folder


def made_urdf(rng: np.random.Generator, number: int) -> tuple[str, str]:
    """A random tree, as exporters write it: with axes of fixed joints, blank lines, or speeds of 0."""
    text = random_tree(rng)
    odd = [
        text.replace("<robot", "\n\n<robot", 1),
        text.replace('velocity="1.5"', 'velocity="0"') if "<rbc" not in text else text,
        text.replace("<robot", '<?xml version="1.0"?>\n<!-- exported -->\n<robot', 1),
    ]
    return ".urdf", odd[number % len(odd)]


def made_xacro(_: np.random.Generator, number: int) -> tuple[str, str]:
    """A robot by one of the means of xacro."""
    return ".urdf.xacro", XACRO[number % len(XACRO)] % (2 + number)


def made_world(rng: np.random.Generator, number: int) -> tuple[str, str]:
    """A playground with walls, cylinders, areas and metadata in different orders."""
    parts = [
        '<area><wall x="55" y="0" l1="110" l2="1" h="10"/></area>',
        '<externalLink name="page">https://example.org</externalLink>',
        '<description lang="en">Two robots &ndash; one track</description>',
        *(WALL.format(*rng.uniform(20, 80, 2), rng.uniform(1, 9), rng.uniform(0, math.pi)) for _ in range(number % 4)),
        *(
            f'<robot type="thymio2" x="{x:.1f}" y="{rng.uniform(15, 60):.1f}" port="{33333 + index}" angle="0.5"/>'
            for index, x in enumerate((12.0, 90.0)[: 1 + number % 2])
        ),
    ]
    order = rng.permutation(len(parts))
    inside = "\n".join(parts[index] for index in order)
    return (
        ".playground",
        f'<!DOCTYPE aseba-playground><aseba-playground><world w="110.4" h="80"/>{inside}</aseba-playground>',
    )


def made_path(rng: np.random.Generator, number: int) -> tuple[str, str]:
    """Waypoints along a bow, in one of the layouts in which programs write them."""
    turns = np.linspace(0.0, rng.uniform(0.5, 3.0), 12)
    rows = [(math.sin(turn), 1 - math.cos(turn), turn) for turn in turns.tolist()]
    if number % 5 == 4:
        points = "\n".join(f"  - {{x: {x:.3f}, y: {y:.3f}, yaw: {yaw:.3f}}}" for x, y, yaw in rows)
        return ".yaml", f"waypoints:\n{points}\n"
    separator, header = [(",", "x,y,yaw"), (";", "# x_m; y_m; psi_rad"), ("\t", "X\tY\ttheta"), (", ", "x, y, speed")][
        number % 5
    ]
    lines = [separator.join(f"{value:.3f}" for value in row) for row in rows]
    return ".csv", "\n".join([header, *lines]) + "\n"


def made_script(rng: np.random.Generator, number: int) -> tuple[str, str]:
    """A program for a Thymio, with or without a network, events and constants."""
    limit, speed = rng.integers(500, 3000), rng.integers(50, 400)
    code = (
        f"var speed = {speed}\nvar sums[3] = [0, 0, 0]\nonevent prox\nif prox.horizontal[2] > {limit} then\n"
        "motor.left.target = 0\nelse\nmotor.left.target = speed\nend\n"
        "for i in 0:2 do\nsums[i] += prox.horizontal[i] / 4\nend\ncall leds.top(0, 0, 32)\n"
    )
    if number % 3 == 0:
        return ".aesl", code.replace("var sums", "var i\nvar sums")
    name = "" if number % 3 == 1 else ' name="thymio-II"'
    escaped = code.replace("var sums", "var i\nvar sums").replace(">", "&gt;")
    size = "" if number % 2 else ' size="2"'
    return ".aesl", f'<!DOCTYPE aesl-source><network><event name="e"{size}/><node{name}>{escaped}</node></network>'
