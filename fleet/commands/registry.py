"""The subcommands of `thymio-fleet`, in the order of its help.

The functions that add their options are named by strings, and imported only when a command is used: rclpy, the message
packages and rich take most of a second to load, which `--help`, `check` and `experiment` need not wait for.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import cast

START_CHECK = "experiments.checks.start_check:check_start"  # of the files of `up`
_MISSING = "source a ROS installation, or run `make setup` in the source tree and use .venv/bin/thymio-fleet there"


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand.

    Parameters
    ----------
    module : its function `add_<name>` gets the command's parser, adds the options, and sets `run`
    help : its line in the program's help; its own help starts with it, as a sentence
    passes_on : whether unknown options are passed on to the program that it starts
    needs_ros : whether it starts ROS
    orders : whether it changes what robots, the fleet or the simulator do, and so is noted in the audit log; single
        actions of other commands set the option `orders`
    """

    name: str
    module: str
    help: str
    passes_on: bool = False
    needs_ros: bool = True
    orders: bool = False

    @property
    def description(self) -> str:
        """The sentence at the beginning of its own help."""
        return f"{self.help[0].upper()}{self.help[1:]}."

    @property
    def adder(self) -> str:
        """The function that adds its options, as "module:function"."""
        return f"{self.module}:add_{self.name.replace('-', '_')}"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Import the command, and let it add its options to its parser.

        Raises
        ------
        SystemExit
            A package is missing, such as rclpy; the message names it and says what to do.
        """
        try:
            add = cast(Callable[[argparse.ArgumentParser], None], resolve_name(self.adder))
        except ModuleNotFoundError as error:
            raise SystemExit(missing_text(self.name, error)) from error
        add(parser)


def missing_text(command: str, error: ModuleNotFoundError) -> str:
    """Return which package a command lacks, with advice."""
    return f"thymio-fleet {command} needs {error.name}: {_MISSING}"


_PASSING_ON = ("sim",)
_WITHOUT_ROS = (
    *("layouts", "lif", "experiment", "repeat", "node-config"),
    *("body-urdf", "check", "floor", "bringup", "twin"),
)
_ORDERS = (
    *("go-to", "go-home", "transport", "dock", "follow", "route", "extend", "law", "submit", "duty", "cancel"),
    *("stop", "resume", "calibrate", "bringup", "world", "script", "body", "conformance"),
)

SUBCOMMANDS = tuple(
    Subcommand(
        name,
        module,
        text,
        passes_on=name in _PASSING_ON,
        needs_ros=name not in _WITHOUT_ROS,
        orders=name in _ORDERS,
    )
    for name, module, text in (
        ("up", "fleet.commands.programs", "run the simulator, the driver and the dashboard until Ctrl-C"),
        ("sim", "fleet.commands.programs", "run the simulator alone"),
        ("demo", "fleet.commands.demo.demo_command", "run simulated robots that share a factory floor"),
        ("status", "fleet.commands.status", "show the fleet, live"),
        ("list", "fleet.commands.status", "show which host serves which robot"),
        ("discovery-server", "fleet.commands.programs", "run a Fast DDS discovery server, see docs/several_hosts.md"),
        ("go-to", "fleet.commands.tasks.goals", "send a robot to a pose"),
        ("go-home", "fleet.commands.tasks.goals", "send a robot home"),
        ("transport", "fleet.commands.tasks.goals", "let a robot carry something"),
        ("dock", "fleet.commands.tasks.goals", "send a robot onto a charger, until it is charged"),
        ("follow", "fleet.commands.tasks.follow", "let robots follow a path; Ctrl-C cancels"),
        ("extend", "fleet.commands.tasks.extend", "extend the path that a robot follows, by waypoints or laps"),
        ("route", "fleet.commands.tasks.goals", "let a robot drive, turn, stand and dock, leg by leg"),
        ("law", "fleet.commands.law", "show or change a robot's control law, even while it drives"),
        ("submit", "fleet.commands.jobs.submit_command", "submit a job to the fleet, for any robot"),
        ("jobs", "fleet.commands.jobs.jobs_command", "show and change the fleet's jobs"),
        ("places", "fleet.commands.jobs.places_command", "show the fleet's stations, and the robots there"),
        ("duty", "fleet.commands.jobs.duty_command", "choose whether robots take jobs"),
        ("cancel", "fleet.commands.stop", "cancel a robot's task"),
        ("stop", "fleet.commands.stop", "stop all robots, until resumed"),
        ("resume", "fleet.commands.stop", "let stopped robots accept tasks again"),
        (
            "calibrate",
            "fleet.commands.calibrate",
            "measure a robot's wheels or proximity sensors; the robot drives, and the driver must not run",
        ),
        (
            "bringup",
            "fleet.commands.bringup.bringup_command",
            "check the hardware of robots stage by stage: it asks before anything moves, and writes a report",
        ),
        (
            "twin",
            "experiments.twin.twin_command",
            "fit the simulator's robot to a report of the bring-up, or to a recorded run of a real robot",
        ),
        ("view", "fleet.commands.view", "show the running world: in the terminal, live, or as a picture in a file"),
        ("dashboard", "fleet.commands.dashboard_command", "show the fleet in a browser, and send it tasks from there"),
        (
            "vda5050",
            "fleet.commands.vda5050_command",
            "let a master control drive the fleet: connect its robots to a broker, as vehicles of VDA 5050",
        ),
        (
            "layouts",
            "fleet.commands.layouts.layouts_command",
            "write layouts of RViz and Foxglove for the robots of a fleet",
        ),
        ("lif", "fleet.commands.layouts.lif_command", "write stations and lanes for master controls, as a LIF file"),
        (
            "world",
            "fleet.commands.world.world_command",
            "control the running simulator: pause, step, push, press, cut, spawn and more",
        ),
        ("script", "fleet.commands.script.script_command", "load scripts into robots"),
        (
            "experiment",
            "experiments.scenarios.experiment_command",
            "run an experiment in simulation, faster than real time and reproducibly",
        ),
        (
            "repeat",
            "experiments.orchestrated.repeat_command",
            "run an experiment as ROS nodes under an orchestrator, several times, and compare the runs",
        ),
        (
            "node-config",
            "experiments.orchestrated.node_config_command",
            "write what a node of a fleet declares for an orchestrator",
        ),
        (
            "body",
            "fleet.commands.body.body_command",
            "create reachers of the body coupler, set them, and send them goals",
        ),
        ("body-urdf", "fleet.commands.body.body_urdf_command", "write a fleet as a body for the body coupler"),
        (
            "check",
            "experiments.checks.check_command",
            "report what is wrong with fleets, worlds, experiments, paths and calibrations",
        ),
        (
            "conformance",
            "conformance.run.conformance_command",
            "test whether a server of the interface, or any action server, does what clients may expect",
        ),
        (
            "floor",
            "experiments.checks.floor_command",
            "make the section `floor` of a fleet from the walls and fixed objects of a world",
        ),
    )
)
