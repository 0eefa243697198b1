"""The subcommands of `thymio-fleet`, in the order of its help.

The functions that add their options are named by strings, and imported only when a command is used: rclpy, the message
packages and rich take most of a second, which `--help`, `check`, `report` and `experiment` would wait for without need.
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
    help : its line in the program's help
    adder : "module:function"; the function gets the command's parser, adds the options, and sets `run`
    is_described : whether its own help starts with the same line, as a sentence
    passes_on : whether options that it does not know are those of the program that it starts
    needs_ros : whether it starts ROS
    """

    name: str
    help: str
    adder: str
    is_described: bool = False
    passes_on: bool = False
    needs_ros: bool = True

    @property
    def description(self) -> str | None:
        """The sentence at the beginning of its own help, if it has one."""
        return f"{self.help[0].upper()}{self.help[1:]}." if self.is_described else None

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
    """Return which package a command misses, and what to do."""
    return f"thymio-fleet {command} needs {error.name}: {_MISSING}"


SUBCOMMANDS = (
    Subcommand("up", "run the simulator, the driver and the dashboard until Ctrl-C", "fleet.commands.programs:add_up"),
    Subcommand("sim", "run the simulator alone", "fleet.commands.programs:add_sim", passes_on=True),
    Subcommand("demo", "run simulated robots that share a factory floor", "fleet.commands.demo.demo_command:add_demo"),
    Subcommand("status", "show the fleet, live", "fleet.commands.status:add_status"),
    Subcommand("list", "show which host serves which robot", "fleet.commands.status:add_list"),
    Subcommand(
        "discovery-server",
        "run a Fast DDS discovery server, see docs/several_hosts.md",
        "fleet.commands.programs:add_discovery_server",
    ),
    Subcommand("go-to", "send a robot to a pose", "fleet.commands.tasks.goals:add_go_to"),
    Subcommand("go-home", "send a robot home", "fleet.commands.tasks.goals:add_go_home"),
    Subcommand("transport", "let a robot carry something", "fleet.commands.tasks.goals:add_transport"),
    Subcommand(
        "follow",
        "let robots follow a path; Ctrl-C cancels",
        "fleet.commands.tasks.follow:add_follow",
        is_described=True,
    ),
    Subcommand(
        "law",
        "show or change a robot's control law, even while it drives",
        "fleet.commands.law:add_law",
        is_described=True,
    ),
    Subcommand(
        "submit",
        "submit a job to the fleet, for any robot",
        "fleet.commands.jobs.submit_command:add_submit",
        is_described=True,
    ),
    Subcommand(
        "jobs", "show and change the fleet's jobs", "fleet.commands.jobs.jobs_command:add_jobs", is_described=True
    ),
    Subcommand(
        "places", "the stations of the fleet, and who is there", "fleet.commands.jobs.places_command:add_places"
    ),
    Subcommand("duty", "let robots take jobs, or not", "fleet.commands.jobs.duty_command:add_duty", is_described=True),
    Subcommand("cancel", "cancel a robot's task", "fleet.commands.stop:add_cancel"),
    Subcommand("stop", "stop all robots, until resumed", "fleet.commands.stop:add_stop"),
    Subcommand("resume", "let stopped robots accept tasks again", "fleet.commands.stop:add_resume"),
    Subcommand(
        "calibrate",
        "measure a robot's wheels or proximity sensors; the robot drives, and the driver must not run",
        "fleet.commands.calibrate:add_calibrate",
        is_described=True,
    ),
    Subcommand(
        "view",
        "show the running world: in the terminal, live, or as a picture in a file",
        "fleet.commands.view:add_view",
        is_described=True,
    ),
    Subcommand(
        "dashboard",
        "show the fleet in a browser, and send it tasks from there",
        "fleet.commands.dashboard_command:add_dashboard",
        is_described=True,
    ),
    Subcommand(
        "layouts",
        "write layouts of RViz and Foxglove for the robots of a fleet",
        "fleet.commands.layouts.layouts_command:add_layouts",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "world",
        "control the running simulator: pause, step, push, press, cut, spawn and more",
        "fleet.commands.world.world_command:add_world",
        is_described=True,
    ),
    Subcommand(
        "script", "load scripts into robots", "fleet.commands.script.script_command:add_script", is_described=True
    ),
    Subcommand(
        "report",
        "drive the experiments in simulation and write a report with pictures",
        "experiments.control_study.report_command:add_report",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "experiment",
        "run an experiment in simulation, faster than real time and reproducibly",
        "experiments.scenarios.experiment_command:add_experiment",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "repeat",
        "run an experiment as ROS nodes under an orchestrator, several times, and compare the runs",
        "experiments.orchestrated.repeat_command:add_repeat",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "node-config",
        "write what a node of a fleet declares for an orchestrator",
        "experiments.orchestrated.node_config_command:add_node_config",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "body",
        "create reachers of the body coupler, set them, and send them goals",
        "fleet.commands.body.body_command:add_body",
        is_described=True,
    ),
    Subcommand(
        "body-urdf",
        "write a fleet as a body for the body coupler",
        "fleet.commands.body.body_urdf_command:add_body_urdf",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "check",
        "report what is wrong with fleets, worlds, experiments, paths and calibrations",
        "experiments.checks.check_command:add_check",
        is_described=True,
        needs_ros=False,
    ),
    Subcommand(
        "floor",
        "make the section `floor` of a fleet from the walls and fixed objects of a world",
        "experiments.checks.floor_command:add_floor",
        is_described=True,
        needs_ros=False,
    ),
)
