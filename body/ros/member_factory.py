"""Creates reachers and extenders by their types."""

from typing import Final, assert_never

from rclpy.node import Node

from body.reachers.touch_contact_extender import OUTPUT_NAMES
from body.ros.member import Member, MemberContext, MemberType
from body.ros.reacher_bindings import JointBinding, SimContactBinding, VectorFieldBinding
from body.ros.reacher_member import ReacherMember
from body.ros.touch_contact_member import TouchContactMember

OUTPUTS: Final[dict[MemberType, tuple[str, ...]]] = {MemberType.TOUCH_CONTACT: OUTPUT_NAMES}  # outputs of extenders


def create_member(kind: MemberType, node: Node, context: MemberContext) -> Member:
    """Return a new reacher or extender.

    Parameters
    ----------
    kind
        type of the member
    node
        node of the member
    context
        surroundings of the member
    """
    match kind:
        case MemberType.TOUCH_CONTACT:
            return TouchContactMember(node, context)
        case MemberType.VECTOR_FIELD:
            return ReacherMember(node, context, VectorFieldBinding(context.layout))
        case MemberType.JOINTS:
            return ReacherMember(node, context, JointBinding(context.layout))
        case MemberType.SIM_CONTACT:
            return ReacherMember(node, context, SimContactBinding(context.layout, node))
        case _:
            assert_never(kind)
