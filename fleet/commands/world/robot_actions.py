"""Actions on simulated robots: press a button, cut the link, hide it from motion capture, set the battery."""

import argparse

from thymio_simulator_interfaces.srv import PressButton, SetBattery, SetCapture, SetLink

from fleet.commands.world.action import WorldAction, add_robot
from fleet.commands.world.quantities import share
from fleet.commands.world.simulator_client import SimulatorClient
from thymio_base.argument_types import positive_seconds

_BUTTONS = ("backward", "left", "center", "forward", "right")


def _add_press_options(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument("button", choices=_BUTTONS, metavar="BUTTON", help=", ".join(_BUTTONS))
    parser.add_argument(
        "--for",
        dest="duration_s",
        type=positive_seconds,
        default=0.5,
        metavar="S",
        help="seconds of simulated time (default: %(default)s)",
    )


def _add_cut_options(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument(
        "--unplug",
        action="store_true",
        help="hosts are informed, as if a cable was pulled; without it nothing gets through, as out of radio reach",
    )


def _add_battery_options(parser: argparse.ArgumentParser) -> None:
    add_robot(parser)
    parser.add_argument("charge", type=share, metavar="CHARGE", help="from 0 to 1, or in percent, such as 15%%")


def _press(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    fields = {"entity": robot.name, "button": options.button, "duration_s": options.duration_s}
    client.call(PressButton, "press_button", fields)
    return f"{robot}: button {options.button} is pressed for {options.duration_s:g} s of simulated time"


def _cut(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    link = SetLink.Request.LINK_DISCONNECTED if options.unplug else SetLink.Request.LINK_SILENT
    client.call(SetLink, "set_link", {"entity": robot.name, "link": link})
    how = "unplugged, and hosts are informed" if options.unplug else "cut off: nothing gets through"
    return f"{robot} is {how}; `thymio-fleet world join {options.robot.argument}` ends it"


def _join(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    client.call(SetLink, "set_link", {"entity": robot.name, "link": SetLink.Request.LINK_CONNECTED})
    return f"{robot} is connected"


def _hide(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    client.call(SetCapture, "set_capture", {"entity": robot.name, "is_seen": False})
    return f"{robot} is hidden from motion capture; `thymio-fleet world show {options.robot.argument}` ends it"


def _show(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    client.call(SetCapture, "set_capture", {"entity": robot.name, "is_seen": True})
    return f"{robot} is seen by motion capture"


def _set_battery(client: SimulatorClient, options: argparse.Namespace) -> str:
    robot = client.robot(options.robot)
    client.call(SetBattery, "set_battery", {"entity": robot.name, "charge": options.charge})
    return f"{robot}: its battery has {100.0 * options.charge:.0f} % of its charge"


ROBOT_ACTIONS = (
    WorldAction("press", "press a button of a robot", "1 center --for 2", _add_press_options, _press),
    WorldAction("cut", "cut a robot off from hosts and other robots", "1 --unplug", _add_cut_options, _cut),
    WorldAction("join", "connect a robot that was cut off", "1", add_robot, _join),
    WorldAction("hide", "hide a robot from motion capture", "1", add_robot, _hide),
    WorldAction("show", "show a robot that was hidden", "1", add_robot, _show),
    WorldAction("battery", "charge or drain the battery of a robot", "1 15%", _add_battery_options, _set_battery),
)
