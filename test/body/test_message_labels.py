"""Commands have their time and the names of their joints, wherever the message has places for them."""

from typing import Any

from body.description.message_fields import fill_arrays
from body.description.message_labels import fill_names, stamp_writer
from body.description.robot_tree import BodyVariable, FieldStep
from harness.body.made_types import MadeTypes

TYPES = MadeTypes(
    {
        "s.msg.JointState": {"header": "std_msgs/Header", "name": "sequence<string>", "position": "sequence<double>"},
        "t.msg.Trajectory": {
            "header": "std_msgs/Header", "joint_names": "sequence<string>", "points": "sequence<t/Point>",
        },
        "t.msg.Point": {"positions": "sequence<double>"},
        "d.msg.Dynamic": {"joint_names": "sequence<string>", "values": "sequence<d/Interface>"},
        "d.msg.Interface": {"interface_names": "sequence<string>", "values": "sequence<double>"},
        "m.msg.Motors": {"motors": "sequence<m/Motor>"},
        "m.msg.Motor": {"stamp": "builtin_interfaces/Time", "position": "double"},
        "n.msg.Plain": {"stamp": "double", "name": "string", "numbers": "sequence<double>"},
        "std_msgs.msg.Header": {"stamp": "builtin_interfaces/Time"},
        "builtin_interfaces.msg.Time": {},
    }
)  # fmt: skip


def command(joint: str, *steps: tuple[str, str, int | None]) -> BodyVariable:
    path = tuple(FieldStep(kind, field, index, "float", 1) for kind, field, index in steps)
    return BodyVariable(joint, "q_ref", 0.0, "t", True, path, 0.5, None, 1)


def labelled(*variables: BodyVariable) -> Any:
    """Return a message with all its labels; its time is 7."""
    message = TYPES.create(variables[0].message_type)
    fill_arrays(message, variables, TYPES)
    fill_names(message, variables, TYPES)
    write = stamp_writer(variables, TYPES)
    if write is not None:
        write(message, 7)
    return message


def test_joint_state_has_names_beside_positions_and_its_time() -> None:
    own = [command(name, ("s.msg.JointState", "position", index)) for name, index in (("a", 0), ("c", 2), ("b", 1))]
    message = labelled(*own)
    assert message.name == ["a", "b", "c"]
    assert message.header.stamp == 7


def test_names_that_no_variable_has_stay_empty() -> None:
    assert labelled(command("c", ("s.msg.JointState", "position", 2))).name == ["", "", "c"]


def test_trajectory_has_the_names_of_the_positions_of_its_points() -> None:
    own = [
        command(name, ("t.msg.Trajectory", "points", 0), ("t.msg.Point", "positions", index))
        for index, name in enumerate("ab")
    ]
    assert labelled(*own).joint_names == ["a", "b"]


def test_names_belong_to_the_array_beside_them() -> None:
    own = command("b", ("d.msg.Dynamic", "values", 1), ("d.msg.Interface", "values", 0))
    assert labelled(own).joint_names == ["", "b"]


def test_stamps_of_inner_messages_are_written() -> None:
    own = [command("j", ("m.msg.Motors", "motors", index), ("m.msg.Motor", "position", None)) for index in (0, 2)]
    assert [one.stamp == 7 for one in labelled(*own).motors] == [True, False, True]


def test_fields_of_the_same_name_and_another_type_are_left_alone() -> None:
    message = labelled(command("j", ("n.msg.Plain", "numbers", 0)))
    assert (message.stamp, message.name) == (0.0, "")
