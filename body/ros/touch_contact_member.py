"""TC on ROS: receives the point of contact, and writes the estimate to the board and to topics."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from std_srvs.srv import Trigger

from body.errors import ReacherError
from body.memory.body_board import BoardRow
from body.reachers.reacher import idle_share
from body.reachers.touch_contact_extender import OUTPUT_NAMES, TouchContactExtender, TouchSettings
from body.ros.contact_topics import ContactTopics
from body.ros.member import MemberContext
from body.ros.member_parameters import MemberParameters, Value, Values

_DEFAULTS: Final[Mapping[str, Value]] = {"base_link": "", "contact_link": "", "mode": "force", "noise_nm": (0.05,)}


class TouchContactMember:
    """Estimates the force at the point received on `/NAME/contact`; `/NAME/tare` zeroes the present torques.

    Parameters
    ----------
    node : node of the extender
    context : surroundings of the extender
    """

    output_names = OUTPUT_NAMES

    def __init__(self, node: Node, context: MemberContext) -> None:
        self.node = node
        self._context = context
        self._core = TouchContactExtender(context.layout)
        self._parameters = MemberParameters(node, _DEFAULTS, self._configure)
        self._topics = ContactTopics(node)
        node.create_subscription(PointStamped, f"{node.get_name()}/contact", self._on_contact, 10)
        context.answers.create_service(node, Trigger, f"{node.get_name()}/tare", self._on_tare)
        context.answers.cover(node)
        self._idle = idle_share(context.layout)

    def step(self, now_ns: int) -> None:
        """Read the state and write the estimate; a failed step writes none."""
        with self._context.fence.around(f"the step of {self.node.get_name()}"):
            self._step(now_ns)

    def _step(self, now_ns: int) -> None:
        board, row = self._context.board, self._context.row
        state = board.read_state()
        board.write_row(row, BoardRow(now_ns, 0.0, self._idle))
        estimate = self._core.estimate(state, now_ns)
        if estimate is not None:
            board.write_outputs(row, self._core.outputs(estimate), now_ns)
            self._topics.publish(self._core.link, self._core.point, estimate.wrench, now_ns)

    def close(self) -> None:
        """Do nothing: an extender has no goal."""

    @property
    def is_heard(self) -> bool:
        """Always true: an extender has no goal."""
        return True

    def _configure(self, values: Values) -> None:
        if values["mode"] not in ("force", "wrench"):
            raise ReacherError(f"mode is {values['mode']!r}; write force or wrench")
        noise = values["noise_nm"]
        if not noise or min(noise) <= 0:
            raise ReacherError(f"noise_nm is {list(noise)}; write numbers above 0")
        self._core.configure(
            TouchSettings(values["base_link"], values["contact_link"], values["mode"] == "wrench", noise)
        )

    def _on_contact(self, message: PointStamped) -> None:
        point = message.point
        try:
            self._core.touch(message.header.frame_id, np.array([point.x, point.y, point.z]))
        except ReacherError as error:
            self.node.get_logger().warning(f"contact ignored: {error}", throttle_duration_sec=1.0)

    def _on_tare(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._core.tare(self._context.board.read_state())
        response.success, response.message = True, "the present torques are taken as zero"
        return response
