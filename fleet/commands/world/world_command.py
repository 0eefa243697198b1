"""The command `thymio-fleet world`: controls the running simulator."""

import argparse

from fleet.commands.world.entity_actions import ENTITY_ACTIONS
from fleet.commands.world.robot_actions import ROBOT_ACTIONS
from fleet.commands.world.time_actions import TIME_ACTIONS

WORLD_ACTIONS = (*TIME_ACTIONS, *ENTITY_ACTIONS, *ROBOT_ACTIONS)


def add_world(parser: argparse.ArgumentParser) -> None:
    """Add the actions."""
    actions = parser.add_subparsers(required=True, metavar="ACTION", title="actions")
    for action in WORLD_ACTIONS:
        action.add_to(actions.add_parser(action.name, help=action.help))
