"""The program of the connector: until it is interrupted."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Final

from fleet.settings.config import load_config
from fleet.vda5050.link.connector import Connector, ConnectorPlaces
from thymio_base.logs.folders import state_folder
from thymio_base.logs.json_log import start_json_log
from thymio_base.ros.ros_domain import ros_domain_id
from thymio_base.stop_signal import StopSignal, say

_PROGRAM: Final = "thymio_fleet_vda5050"


def run_connector(path: Path) -> None:
    """Serve the master control until SIGINT or SIGTERM.

    Raises
    ------
    ConfigError
        The file of the fleet has mistakes.
    BrokerError
        Certificates or the password cannot be read.
    TwinError
        Another connector serves a vehicle with the same name.
    """
    start_json_log(_PROGRAM, sys.argv, path)
    config = load_config(path)
    stop = StopSignal()
    places = ConnectorPlaces(ros_domain_id(), state_folder() / "vda5050")
    with closing(Connector(config, places, say)) as connector:
        say(f"vda5050: {config.vda5050.version}, broker {config.vda5050.broker}")
        connector.run(lambda: stop.is_requested)
