"""Finds the Aseba node of a robot, as users name robots: by its ID in the fleet, or by `node:` and its node id."""

import argparse
from dataclasses import dataclass

from fleet.client.fleet_client import FleetClient
from fleet.errors import NoServerError, NotServedError
from thymio_base.argument_types import identifier
from thymio_base.texts.decimal_text import whole_number

NODE_PREFIX = "node:"
ROBOT_HELP = f"the robot's ID in the fleet where a driver runs, or {NODE_PREFIX}ID with its node id"


@dataclass(frozen=True, slots=True)
class RobotName:
    """A robot as named by a user: a number, and whether it is a node id instead of the robot's ID in the fleet."""

    number: int
    is_node: bool

    def __str__(self) -> str:
        return f"{'node' if self.is_node else 'robot'} {self.number}"

    @property
    def argument(self) -> str:
        """The name as an argument of a command."""
        return f"{NODE_PREFIX if self.is_node else ''}{self.number}"


def robot_name(text: str) -> RobotName:
    """Return the robot named by an argument of a command.

    Raises
    ------
    ArgumentTypeError
        The text is not the name of a robot.
    """
    try:
        return RobotName(identifier(text.removeprefix(NODE_PREFIX)), text.startswith(NODE_PREFIX))
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a robot's ID, such as 3, nor a node id, such as {NODE_PREFIX}3"
        ) from None


def node_id_of(client: FleetClient, name: RobotName) -> int:
    """Return a robot's node id; for a robot of the fleet, from the status that its driver publishes.

    Raises
    ------
    NoServerError
        No driver serves the robot, or its node is not known yet.
    """
    if name.is_node:
        return name.number
    client.watch(name.number)
    if client.graph.spin_until_served(lambda: bool(client.value(name.number, "node"))):
        return whole_number(client.value(name.number, "node"))
    served_ids = client.robot_ids()
    if name.number in client.statuses or name.number in served_ids:
        raise NoServerError(f"{name} has no known node yet; name it by its node id, such as {NODE_PREFIX}1")
    if served_ids:
        raise NotServedError(name.number, served_ids)
    raise NoServerError(f"no driver runs that knows {name}; name it by its node id, such as {NODE_PREFIX}1")
