"""Every value that is written to a message is read back, wherever it stands; paths that lead nowhere are refused."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from body.description.message_fields import fill_arrays, reader, writer, yaw
from body.description.robot_tree import BodyVariable, FieldStep
from body.description.urdf_reader import read_urdf
from body.errors import DescriptionError
from harness.body.made_types import MadeTypes
from harness.body.urdf_text import joint, robot

PLAIN = {"float": ("double", "float"), "int": ("int32", "uint8", "octet"), "bool": ("boolean",)}


@st.composite
def paths(draw: st.DrawFn) -> tuple[tuple[FieldStep, ...], MadeTypes]:
    """Return a path of one to four steps, and the types along it."""
    value_type = draw(st.sampled_from(sorted(PLAIN)))
    element = draw(st.sampled_from(PLAIN[value_type]))
    types, steps = MadeTypes(), []
    for depth in range(draw(st.integers(1, 4))):
        array = draw(st.sampled_from(["", "sequence", "fixed"]))
        index = draw(st.integers(0, 5)) if array else None
        kind = {"": element, "sequence": f"sequence<{element}>", "fixed": f"{element}[6]"}[array]
        name = f"made.msg.Type{depth}"
        types.known[name] = {"other": "double", "chosen": kind}
        steps.insert(0, FieldStep(name, "chosen", index, value_type, 1))
        element = name.replace(".msg.", "/")
    return tuple(steps), types


def variable(path: tuple[FieldStep, ...], *, is_command: bool = True) -> BodyVariable:
    return BodyVariable("j", "q_ref", 0.0, "t", is_command, path, 0.5, None, 1)


@given(paths(), st.integers(0, 1))
def test_written_value_is_read_back(made: tuple[tuple[FieldStep, ...], MadeTypes], value: int) -> None:
    path, types = made
    message = types.create(path[0].message_type)
    fill_arrays(message, [variable(path)], types)
    writer(path, types)(message, float(value))
    assert reader(path)(message) == value


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6, unique=True))
def test_variables_of_one_message_do_not_disturb_each_other(indices: list[int]) -> None:
    types = MadeTypes({"made.msg.Numbers": {"numbers": "sequence<double>"}})
    own = [variable((FieldStep("made.msg.Numbers", "numbers", index, "float", 1),)) for index in indices]
    message = types.create("made.msg.Numbers")
    fill_arrays(message, own, types)
    for one, index in zip(own, indices, strict=True):
        writer(one.path, types)(message, index + 0.5)
    assert [reader(one.path)(message) for one in own] == [index + 0.5 for index in indices]
    assert len(message.numbers) == max(indices) + 1


def test_array_that_is_too_short_raises() -> None:
    types = MadeTypes({"made.msg.Numbers": {"numbers": "sequence<double>"}})
    with pytest.raises(IndexError):
        reader((FieldStep("made.msg.Numbers", "numbers", 2, "float", 1),))(types.create("made.msg.Numbers"))


@given(st.floats(-math.pi, math.pi), st.floats(0.1, 10.0))
def test_heading_of_a_quaternion_does_not_depend_on_its_length(angle: float, length: float) -> None:
    found = yaw(0.0, 0.0, length * math.sin(angle / 2), length * math.cos(angle / 2))
    assert np.cos(found - angle) == pytest.approx(1.0)


NUMBERS = {"test.msg.Numbers": {"numbers": "sequence<double>", "single": "double", "inner": "test/Inner"}}
WRONG = {
    "unknown type": (('type="test.msg.Numbers"', 'type="test.msg.None"'), "test.msg.None cannot be imported"),
    "unknown field": (('field="numbers"', 'field="nombres"'), "no field nombres; it has numbers, single, inner"),
    "no array": (('field="numbers"', 'field="single"'), "no array, so remove field_array"),
    "array": (('field_array="true"', 'field_array="false"'), "an array, so write field_array"),
    "kind of number": (('index_type="float"', 'index_type="int"'), "write index_type float"),
    "message": (('field="numbers" field_array="true"', 'field="inner" field_array="false"'), "nest a <msg>"),
    "yaw": (('index_type="float"', 'index_type="yaw"'), "yaw reads a geometry_msgs/Quaternion"),
}


@pytest.mark.parametrize("name", WRONG)
def test_path_that_does_not_end_at_a_number_is_refused(name: str) -> None:
    (old, new), expected = WRONG[name]
    with pytest.raises(DescriptionError, match=expected) as caught:
        read_urdf(robot(joint("j", "a", "b").replace(old, new)), MadeTypes(NUMBERS))
    assert all(problem.startswith("line 3: joint j, variable q") for problem in caught.value.problems)


def test_index_beyond_a_fixed_array_is_refused() -> None:
    with pytest.raises(DescriptionError, match="beyond the 6 elements of numbers"):
        read_urdf(robot(joint("j", "a", "b")), MadeTypes({"test.msg.Numbers": {"numbers": "double[6]"}}))


def test_inner_message_must_be_that_of_the_field() -> None:
    nested = '<msg type="test.msg.Numbers" field="inner"><msg type="test.msg.Wrong" field="x"/></msg>'
    text = robot(joint("j", "a", "b", variables=[f'<var name="q" topic="t" type="state">{nested}</var>']))
    with pytest.raises(DescriptionError, match=r"inner is a test/Inner, and not the test\.msg\.Wrong"):
        read_urdf(text, MadeTypes(NUMBERS))


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        ("octet", 300.0, b"\xff"),
        ("octet", -1.0, b"\0"),
        ("uint8", -5.0, 0),
        ("int8", 1e12, 127),
        ("int64", 1e30, 2**63 - 1),
        ("uint64", 1e30, 2**64 - 1),
        ("boolean", 0.5, True),
        ("float", 1e300, float(np.finfo(np.float32).max)),
        ("double", 1e300, 1e300),
    ],
)
def test_command_out_of_range_becomes_the_nearest_valid_command(element: str, value: float, expected: object) -> None:
    types = MadeTypes({"made.msg.Number": {"number": element}})
    message = SimpleNamespace(number=None)
    writer((FieldStep("made.msg.Number", "number", None, "int", 1),), types)(message, value)
    assert (message.number, type(message.number)) == (expected, type(expected))


@pytest.mark.parametrize("value", [b"\0", b"\x7f", b"\xff"])
def test_byte_is_read_as_a_number(value: bytes) -> None:
    path = (FieldStep("made.msg.Byte", "level", None, "int", 1),)
    assert reader(path)(SimpleNamespace(level=value)) == value[0]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("string", "single is string, and index_type float: choose a field that is a number"),
        ("wstring<7>", "choose a field that is a number"),
        ("octet", "write index_type int"),
        ("int64", "write index_type int"),
        ("boolean", "write index_type bool"),
    ],
)
def test_field_of_another_kind_is_refused_with_what_to_write(kind: str, expected: str) -> None:
    text = robot(joint("j", "a", "b")).replace('field="numbers" field_array="true"', 'field="single"')
    with pytest.raises(DescriptionError, match=expected):
        read_urdf(text, MadeTypes({"test.msg.Numbers": {"single": kind}}))


@pytest.mark.parametrize("index", ["10000", "999999999", "9" * 5000, "٣", "1_0"])
def test_huge_or_invalid_index_is_refused(index: str) -> None:
    text = robot(joint("j", "a", "b")).replace(f'index="{ord("j")}"', f'index="{index}"')
    with pytest.raises(DescriptionError, match="index "):
        read_urdf(text, MadeTypes(NUMBERS))


def test_problems_of_tags_and_of_messages_are_reported_together() -> None:
    text = robot(joint("j", "a", "b")).replace('field="numbers"', 'field="nombres"').replace('lower="-2"', 'lower="3"')
    with pytest.raises(DescriptionError) as caught:
        read_urdf(text, MadeTypes(NUMBERS))
    assert len(caught.value.problems) == 3
