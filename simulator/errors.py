"""Errors of the simulator."""


class SimulatorError(Exception):
    """Base of every error raised by `simulator`."""


class WorldError(SimulatorError, ValueError):
    """A world file has problems; the message lists all of them, one per line."""


class ClockTakenError(SimulatorError, RuntimeError):
    """Another program in the ROS domain publishes /clock; the message names its node and the cure."""


class ScriptFaultError(SimulatorError, RuntimeError):
    """A script violated a rule of the machine; `type` and `words` are those of the message that the node sends.

    `text` is the message's text where it carries one.
    """

    def __init__(self, message_type: int, words: tuple[int, ...], text: str = "") -> None:
        super().__init__(text or f"message 0x{message_type:04x}")
        self.type = message_type
        self.words = words
        self.text = text


class ConductorError(SimulatorError, RuntimeError):
    """Nodes under the conductor break the rules of its protocol; the message names the node and the callback."""
