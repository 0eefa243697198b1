"""The command `thymio-fleet vda5050`: connects the fleet to a master control."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from fleet.errors import FleetError
from thymio_base.exit_code import ExitCode


class MqttMissingError(FleetError, ImportError):
    """The MQTT library is not installed."""


def add_vda5050(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "--config",
        type=Path,
        required=True,
        help="the fleet; its section vda5050 names the broker, see docs/vda5050.md",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if find_spec("paho") is None:
        raise MqttMissingError("the connector needs paho-mqtt 2: pip install 'thymio_fleet[vda5050]'")
    from fleet.vda5050.link.connector import run_connector  # noqa: PLC0415  needs paho

    run_connector(options.config)
    return ExitCode.DONE
