"""The first participant of this process, with which Fast DDS reads its profiles."""

import rclpy
from rclpy.context import Context


def read_profiles() -> None:
    """Create and destroy a participant, while the environment names no profile.

    Fast DDS reads profiles once in a process. Under the profile of our programs, nodes of one process receive none of
    each other's messages, so a test with a client of ours would spoil all later ones of its process.
    """
    context = Context()
    rclpy.init(context=context)
    rclpy.create_node("first_participant", context=context).destroy_node()
    context.shutdown()
