"""Binds the reachers VF, JR and SC to their parameters and messages."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from rbc_actions.action import VF, SimContact
from rbc_actions.action import JointReacher as JointReacherAction
from rclpy.node import Node

from body.control.joint_pid import PidGains
from body.control.vector_field import FieldShape
from body.errors import ReacherError
from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyState
from body.reachers.joint_reacher import JointReacher, JointSettings
from body.reachers.reacher import EndReason, GoalEnd
from body.reachers.sim_contact_reacher import Contact, SimContactReacher
from body.reachers.vector_field_reacher import FieldSettings, PoseGoal, VectorFieldReacher
from body.ros.body_conversions import (
    finite,
    joint_errors_to_ros,
    joint_positions_from_ros,
    pose_from_ros,
    seconds,
    six_from_ros,
    twist_to_ros,
)
from body.ros.contact_topics import ContactTopics
from body.ros.member_parameters import Value, Values, positive

_FIELD: Final = FieldSettings()
_JOINTS: Final = JointSettings()


class VectorFieldBinding:
    """Binds the vector-field reacher."""

    action_type = VF
    defaults: Mapping[str, Value] = {
        "base_link": "",
        "end_link": "",
        "speed_mps": _FIELD.shape.speed_mps,
        "turn_radps": _FIELD.shape.turn_radps,
        "slow_down_m": _FIELD.shape.slow_down_m,
        "default_precision_m": float(_FIELD.precision[0]),
        "default_precision_rad": float(_FIELD.precision[3]),
        "task_weights": (1.0,) * 6,
        "joint_weights": (),
        "posture": (),
        "posture_gain": _FIELD.posture_gain,
    }

    def __init__(self, layout: BodyLayout) -> None:
        self.core = VectorFieldReacher(layout)

    def configure(self, values: Values) -> None:
        """Use other parameters."""
        precisions = ("default_precision_m", "default_precision_rad")
        positive(values, "speed_mps", "turn_radps", "slow_down_m", "posture_gain", *precisions)
        weights, joint_weights = values["task_weights"], values["joint_weights"]
        if len(weights) != 6 or min(weights) < 0 or max(weights) == 0:
            raise ReacherError(f"task_weights is {list(weights)}; write six numbers, 0 or above, for x y z and turns")
        if joint_weights and (min(joint_weights) < 0 or max(joint_weights) == 0):
            raise ReacherError(f"joint_weights is {list(joint_weights)}; write numbers of 0 or above")
        self.core.configure(
            FieldSettings(
                base_link=values["base_link"],
                end_link=values["end_link"],
                shape=FieldShape(values["speed_mps"], values["turn_radps"], values["slow_down_m"]),
                precision=np.repeat([values[name] for name in precisions], 3),
                task_weights=np.array(weights),
                joint_weights=joint_weights,
                posture=values["posture"],
                posture_gain=values["posture_gain"],
            )
        )

    def start(self, goal: Any, now_ns: int) -> None:
        """Start a goal."""
        precision = six_from_ros(goal.precision.linear, goal.precision.angular, "precision")
        if precision.min() < 0:
            raise ReacherError("precision has a number below 0; write 0 for the reacher's own")
        self.core.start(PoseGoal(pose_from_ros(goal.goal), precision, seconds(goal.timeout, "timeout")), now_ns)

    def result(self, end: GoalEnd) -> Any:
        """Return the result message."""
        error = twist_to_ros(end.error)
        return VF.Result(success=end.reason is EndReason.REACHED, reason=end.reason.value, error=error)

    def feedback(self) -> Any:
        """Return the feedback message."""
        return VF.Feedback(error=twist_to_ros(self.core.error), slowest_weight=self.core.slowest_weight)

    def publish(self, _: BodyState, __: int) -> None:
        """Do nothing: this reacher has no topics."""


class JointBinding:
    """Binds the joint reacher."""

    action_type = JointReacherAction
    defaults: Mapping[str, Value] = {
        "joints": (),
        "pid": (_JOINTS.gains.kp, _JOINTS.gains.ki, _JOINTS.gains.kd),
        "precision_rad": _JOINTS.precision_rad,
        "precision_m": _JOINTS.precision_m,
    }

    def __init__(self, layout: BodyLayout) -> None:
        self.core = JointReacher(layout)

    def configure(self, values: Values) -> None:
        """Use other parameters."""
        precisions = [values[name] for name in ("precision_rad", "precision_m")]
        positive(values, "precision_rad", "precision_m")
        gains = values["pid"]
        if len(gains) != 3 or min(gains) < 0:
            raise ReacherError(f"pid is {list(gains)}; write three numbers, 0 or above: kp 1/s, ki 1/s2, kd")
        self.core.configure(JointSettings(values["joints"], PidGains(*gains), *precisions))

    def start(self, goal: Any, now_ns: int) -> None:
        """Start a goal."""
        self.core.start(joint_positions_from_ros(goal.goal), now_ns)

    def result(self, end: GoalEnd) -> Any:
        """Return the result message."""
        is_reached = end.reason is EndReason.REACHED
        return JointReacherAction.Result(success=is_reached, reason=end.reason.value, error=joint_errors_to_ros(end))

    def feedback(self) -> Any:
        """Return the feedback message."""
        errors = self.core.errors
        end = GoalEnd(EndReason.REACHED, np.array(list(errors.values())), tuple(errors))
        return JointReacherAction.Feedback(error=joint_errors_to_ros(end))

    def publish(self, _: BodyState, __: int) -> None:
        """Do nothing: this reacher has no topics."""


class SimContactBinding:
    """Binds the simulated-contact reacher; publishes the frame NAME_contact, and the wrench on /NAME/wrench."""

    action_type = SimContact
    defaults: Mapping[str, Value] = {"base_link": ""}

    def __init__(self, layout: BodyLayout, node: Node) -> None:
        self.core = SimContactReacher(layout)
        self._topics = ContactTopics(node)

    def configure(self, values: Values) -> None:
        """Use other parameters."""
        self.core.configure(values["base_link"])

    def start(self, goal: Any, now_ns: int) -> None:
        """Start a contact."""
        wrench = six_from_ros(goal.wrench.force, goal.wrench.torque, "wrench")
        point = goal.position.point
        place = finite("position", (point.x, point.y, point.z))
        duration_s = seconds(goal.duration, "duration")
        self.core.start(Contact(goal.position.header.frame_id, place, wrench, duration_s), now_ns)

    def result(self, end: GoalEnd) -> Any:
        """Return the result message."""
        return SimContact.Result(success=end.reason is EndReason.REACHED, reason=end.reason.value)

    def feedback(self) -> Any:
        """Return the feedback message, which is empty."""
        return SimContact.Feedback()

    def publish(self, _: BodyState, now_ns: int) -> None:
        """Publish frame and wrench of the contact."""
        contact = self.core.contact
        if contact is not None:
            self._topics.publish(contact.link, contact.point, contact.wrench, now_ns)
