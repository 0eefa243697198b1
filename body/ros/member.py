"""Members of a coupler: the interface of reachers and extenders, and the context that they run in."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from rclpy.node import Node

from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyBoard
from thymio_base.fence import Fence
from thymio_base.instant import Instant
from thymio_base.ros.answers import Answers


class MemberType(Enum):
    """Types of reachers and extenders, by their names in `create_re`."""

    VECTOR_FIELD = "VF"  # moves a link to a pose
    JOINTS = "JR"  # moves joints to positions
    SIM_CONTACT = "SC"  # simulates a contact
    TOUCH_CONTACT = "TC"  # estimates a contact force; an extender


@dataclass(frozen=True, slots=True)
class MemberContext:
    """The surroundings of a reacher or extender.

    Parameters
    ----------
    layout : the body's layout
    board : board shared with the coupler
    row : its row on the board
    clock : returns the present instant
    answers : sends its answers
    fence : logs the exceptions of its steps and goals
    """

    layout: BodyLayout
    board: BodyBoard
    row: int
    clock: Callable[[], Instant]
    answers: Answers
    fence: Fence


class Member(Protocol):
    """A reacher or extender with its node."""

    node: Node

    def step(self, now_ns: int) -> None:
        """Read the state and write the row; never raises."""
        ...

    def close(self) -> None:
        """End its goal; the owner of the node destroys the node."""
        ...

    @property
    def is_heard(self) -> bool:
        """Whether the goal's client, if any, has got the result after `close`."""
        ...
