"""Finds the Aseba node of a robot, as users name robots: by its ID in the fleet, or by `node:` and its node id."""

import argparse
from dataclasses import dataclass

from fleet.client.fleet_client import FleetClient
from fleet.client.graph_client import DISCOVERY_S
from fleet.errors import NoServerError
from thymio_base.number_text import robots_text

NODE_PREFIX = "node:"


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
        The text names no robot.
    """
    digits = text.removeprefix(NODE_PREFIX)
    if not (digits.isascii() and digits.isdigit() and int(digits) > 0):
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a robot's ID, such as 3, nor a node id, such as {NODE_PREFIX}3"
        )
    return RobotName(int(digits), text.startswith(NODE_PREFIX))


def node_id_of(client: FleetClient, name: RobotName) -> int:
    """Return the node id of a robot; that of a robot of the fleet is in the status that its driver publishes.

    Raises
    ------
    NoServerError
        No driver serves the robot, or its node is not known yet.
    """
    if name.is_node:
        return name.number
    client.watch(name.number)
    if client.spin_until(lambda: bool(client.value(name.number, "node")), DISCOVERY_S):
        return int(client.value(name.number, "node"))
    if name.number in client.statuses:
        raise NoServerError(f"{name} has no known node yet; name it by its node id, such as {NODE_PREFIX}1")
    served = [robot_id for robot_id in client.robot_ids() if _is_published(client, robot_id)]
    if served:
        verb = "is" if len(served) == 1 else "are"
        raise NoServerError(f"{name} is not served; {robots_text(served)} {verb}")
    raise NoServerError(f"no driver runs that knows {name}; name it by its node id, such as {NODE_PREFIX}1")


def _is_published(client: FleetClient, robot_id: int) -> bool:
    """Whether a robot has a server, and not only clients that wait for it."""
    return bool(client.node.count_publishers(f"/factory/robot_{robot_id}/status"))
