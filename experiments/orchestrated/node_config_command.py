"""The command `thymio-fleet node-config`: prints the configuration of a fleet's node for an orchestrator."""

import argparse
import json
from pathlib import Path
from typing import Final

from fleet.settings.config import load_config
from thymio_base.exit_code import ExitCode

_NODES: Final = ("driver", "simulator", "player")


def add_node_config(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--config", type=Path, required=True, metavar="FLEET.yaml", help="the fleet")
    parser.add_argument("--for", dest="node", choices=_NODES, default="driver", help="the node (default: %(default)s)")
    parser.add_argument(
        "--outputs",
        nargs="*",
        default=[],
        metavar="TOPIC",
        help="topics of the driver that other nodes or a record need, besides the bytes of the link; "
        "all: pose and status of each robot. Each costs time in every tick",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from fleet.ros.orchestrated import node_config  # noqa: PLC0415  needs the message packages, but --help does not
    from fleet.tasks.task_kind import TaskKind  # noqa: PLC0415

    config = load_config(options.config)
    if options.node == "driver":
        outputs = node_config.robot_outputs(config) if options.outputs == ["all"] else options.outputs
        found = node_config.driver_config(config, outputs)
    elif options.node == "simulator":
        found = node_config.simulator_config()
    else:
        found = node_config.player_config([robot.id for robot in config.robots], list(TaskKind))
    print(json.dumps(found, indent=2))
    return ExitCode.DONE
