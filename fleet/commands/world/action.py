"""An action of `thymio-fleet world`: its options, and a function that performs it and describes the result."""

import argparse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from fleet.client.robot_node import NODE_PREFIX, ROBOT_HELP, RobotName, robot_name
from fleet.commands.world.simulator_client import SimulatorClient
from thymio_base.exit_code import ExitCode

_ENTITY_HELP = f"the robot's ID in the fleet where a driver runs, {NODE_PREFIX}ID with its node id, or an object's name"


@dataclass(frozen=True, slots=True)
class WorldAction:
    """One action.

    Parameters
    ----------
    help : its line in the help of `thymio-fleet world`
    example : its arguments in an example
    add_options : adds its options to its parser
    perform : performs it, and returns a sentence about the result
    """

    name: str
    help: str
    example: str
    add_options: Callable[[argparse.ArgumentParser], None]
    perform: Callable[[SimulatorClient, argparse.Namespace], str]

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the options, an example, and the function to run."""
        parser.description = f"{self.help[0].upper()}{self.help[1:]}."
        parser.epilog = f"example: thymio-fleet world {self.name} {self.example}".rstrip()
        self.add_options(parser)
        parser.set_defaults(run=self._run)

    def _run(self, options: argparse.Namespace) -> int:
        with closing(SimulatorClient()) as client:
            print(self.perform(client, options))
        return ExitCode.DONE


def add_nothing(_: argparse.ArgumentParser) -> None:
    """Add no options."""


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a robot."""
    parser.add_argument("robot", type=robot_name, metavar="ROBOT", help=ROBOT_HELP)


def add_entity(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a robot or an object."""
    parser.add_argument("entity", type=entity_name, metavar="ENTITY", help=_ENTITY_HELP)


def entity_name(text: str) -> RobotName | str:
    """Return the robot or the object named by an argument.

    Raises
    ------
    ArgumentTypeError
        The text has the form of a robot, but is not one.
    """
    is_robot = text.startswith(NODE_PREFIX) or text.lstrip("-").isdigit()
    return robot_name(text) if is_robot else text
