"""Actions on entities of the world: list, push, move, spawn, remove, carry, put down."""

import argparse
import re

from simulation_interfaces.msg import EntityFilters, Resource, SimulationState
from simulation_interfaces.srv import DeleteEntity, GetEntitiesStates, GetSimulationState, SpawnEntity
from thymio_simulator_interfaces.srv import AttachObject, DetachObject

from fleet.calls.placing import WORLD_FRAME
from fleet.client.robot_node import NODE_PREFIX
from fleet.commands.world.action import WorldAction, add_entity, add_nothing, add_robot
from fleet.commands.world.simulator_client import (
    SimulatorClient,
    SimulatorRefusedError,
    entity_node_id,
    pose_of,
    pose_text,
)
from fleet.geometry import Pose2D
from fleet.interface.conversions import pose_to_ros
from thymio_base.argument_types import angle_rad, metres

_KINDS = ("thymio", "box", "cylinder")
_STATES = {
    SimulationState.STATE_STOPPED: "stopped",
    SimulationState.STATE_PLAYING: "playing",
    SimulationState.STATE_PAUSED: "paused",
}


def _add_push_options(parser: argparse.ArgumentParser) -> None:
    add_entity(parser)
    parser.add_argument("ahead", type=metres, metavar="AHEAD", help="metres ahead of where it points, negative: back")
    parser.add_argument("left", type=metres, nargs="?", default=0.0, metavar="LEFT", help="metres to its left")
    parser.add_argument(
        "turn",
        type=angle_rad,
        nargs="?",
        default=0.0,
        metavar="TURN",
        help="to the left: 1.57 or 90deg; to the right -1.57 or -90deg",
    )


def _add_move_options(parser: argparse.ArgumentParser) -> None:
    add_entity(parser)
    _add_pose(parser)


def _add_spawn_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=_KINDS, metavar="KIND", help=", ".join(_KINDS))
    _add_pose(parser)
    parser.add_argument(
        "--name", default="", help="of the object; of a robot thymio_ and its node id; default: a free one"
    )
    parser.add_argument(
        "--set",
        dest="keys",
        type=_key_value,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of its entry in world.yaml, such as length_m=0.1; docs/configuration.md lists them",
    )


def _add_object_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("object", metavar="OBJECT", help="the object's name")


def _add_carry_options(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    _add_object_options(parser)


def _add_pose(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("x", type=metres, metavar="X", help="metres")
    parser.add_argument("y", type=metres, metavar="Y", help="metres")
    parser.add_argument("theta", type=angle_rad, nargs="?", metavar="THETA", help="radians, or degrees such as 90deg")


def _key_value(text: str) -> str:
    """Return a line of YAML."""
    match = re.fullmatch(r"([a-z_]+)=(.+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE, such as length_m=0.1")
    return f"{match.group(1)}: {match.group(2)}"


def _list(client: SimulatorClient, _: argparse.Namespace) -> str:
    answer = client.call(GetEntitiesStates, "get_entities_states", {"filters": EntityFilters()})
    state = client.call(GetSimulationState, "get_simulation_state").state.state
    names = list(map(_argument, answer.entities))
    width = max(map(len, names), default=0)
    places = zip(names, answer.states, strict=True)
    lines = [f"{name:{width}}  {pose_text(pose_of(entity_state))}" for name, entity_state in places]
    return "\n".join([f"the simulation is {_STATES.get(state, state)}", *lines])


def _argument(entity: str) -> str:
    """Return the name of an entity as an argument of a command."""
    node_id = entity_node_id(entity)
    return entity if node_id is None else f"{NODE_PREFIX}{node_id}"


def _push(client: SimulatorClient, options: argparse.Namespace) -> str:
    entity = client.entity(options.entity)
    pose = client.pose(entity).compose(Pose2D(options.ahead, options.left, options.turn))
    client.place(entity, pose)
    return f"{entity} was pushed to {pose_text(pose)}"


def _move(client: SimulatorClient, options: argparse.Namespace) -> str:
    entity = client.entity(options.entity)
    heading_rad = client.pose(entity).heading_rad if options.theta is None else options.theta
    pose = Pose2D(options.x, options.y, heading_rad)
    client.place(entity, pose)
    return f"{entity} was moved to {pose_text(pose)}"


def _spawn(client: SimulatorClient, options: argparse.Namespace) -> str:
    pose = Pose2D(options.x, options.y, options.theta or 0.0)
    fields = {
        "name": options.name,
        "allow_renaming": not options.name,
        "entity_resource": Resource(uri=options.kind, resource_string="\n".join(options.keys)),
        "initial_pose": pose_to_ros(pose, 0, WORLD_FRAME),
    }
    try:
        name = client.call(SpawnEntity, "spawn_entity", fields, repeats=False).entity_name
    except SimulatorRefusedError as error:
        raise SimulatorRefusedError(str(error).replace("resource_string", "--set"), error.result) from error
    return f"{_argument(name)} was spawned at {pose_text(pose)}"


def _remove(client: SimulatorClient, options: argparse.Namespace) -> str:
    entity = client.entity(options.entity)
    client.call(DeleteEntity, "delete_entity", {"entity": entity.name}, repeats=False)
    return f"{entity} was removed"


def _carry(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot, carried = client.robot(options.robot), client.entity(options.object)
    client.call(AttachObject, "attach_object", {"entity": robot.name, "object": carried.name}, repeats=False)
    return f"{robot} carries {carried}; `thymio-fleet world put-down {carried}` ends it"


def _put_down(client: SimulatorClient, options: argparse.Namespace) -> str:
    carried = client.entity(options.object)
    client.call(DetachObject, "detach_object", {"object": carried.name}, repeats=False)
    return f"{carried} was put down at {pose_text(client.pose(carried))}"


ENTITY_ACTIONS = (
    WorldAction("list", "list robots and objects with their places", "", add_nothing, _list),
    WorldAction("push", "push a robot or an object from where it is", "1 0.1 0 30deg", _add_push_options, _push),
    WorldAction("move", "put a robot or an object somewhere else", "1 1.2 0.8 90deg", _add_move_options, _move),
    WorldAction(
        "spawn", "add a robot or an object", "box 2.0 1.1 --name crate --set length_m=0.1", _add_spawn_options, _spawn
    ),
    WorldAction("remove", "remove a robot or an object", "crate", add_entity, _remove),
    WorldAction("carry", "let a robot carry an object", "1 crate", _add_carry_options, _carry),
    WorldAction(
        "put-down", "let the robot that carries an object put it down", "crate", _add_object_options, _put_down
    ),
)
