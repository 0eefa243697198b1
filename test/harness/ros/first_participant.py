"""The first participant of this process, with which Fast DDS reads its profiles."""

import os
from pathlib import Path

import rclpy
from rclpy.context import Context

_VARIABLES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")  # Jazzy, Kilted


def read_profiles() -> None:
    """Create and destroy a participant, while the environment names the profile of tests.

    Fast DDS reads profiles once in a process. Under the profile of our programs, nodes of one process receive none of
    each other's messages, so a test with a client of ours would spoil all later ones of its process.
    """
    before = {name: os.environ.pop(name, None) for name in _VARIABLES}
    os.environ |= dict.fromkeys(_VARIABLES, str(Path(__file__).with_name("announced_often.xml")))
    context = Context()
    rclpy.init(context=context)
    rclpy.create_node("first_participant", context=context).destroy_node()
    context.shutdown()
    for name, value in before.items():
        del os.environ[name]
        os.environ |= {} if value is None else {name: value}
