"""Files with what is kept of vehicles for a restart: one for each vehicle of each broker."""

import hashlib
import json
from pathlib import Path
from typing import Final

from fleet.settings.vda5050_config import BrokerAddress
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.vehicle.vehicle import VehicleIdentity
from fleet.vda5050.vehicle.vehicle_record import RecordError, machine_text, restore_machine
from thymio_base.errors import TextError
from thymio_base.texts.json_text import read_json


class KeptVehicle:
    """The file of one vehicle; what another master control has ordered is in another file.

    Parameters
    ----------
    folder : of all such files
    domain : of ROS
    broker, identity : of whom the vehicle is one

    Attributes
    ----------
    trouble : why the file cannot be read or written; "" if it can
    """

    def __init__(self, folder: Path, domain: int, broker: BrokerAddress, identity: VehicleIdentity) -> None:
        names = (broker.host, broker.port, identity.interface, identity.manufacturer, identity.serial)
        key = hashlib.sha256(json.dumps([domain, *names]).encode()).hexdigest()[:12]
        self._path: Final = folder / f"{identity.serial}-{key}.json"
        self._written: object = None
        self.trouble = ""

    def restore(self, machine: OrderMachine) -> bool:
        """Let a machine go on where the last one with these names was; return whether there was one."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        except (OSError, UnicodeDecodeError) as error:
            self.trouble = f"{self._path} cannot be read: {error}"
            return False
        try:
            record = read_json(text)
            if not isinstance(record, dict):
                raise RecordError("it is not an object")
            restore_machine(machine, record)
        except (TextError, RecordError) as error:
            self.trouble = f"{self._path} is left aside: {error}"
            return False
        return True

    def keep(self, machine: OrderMachine) -> None:
        """Write what has changed."""
        mark = _mark(machine)
        if mark == self._written:
            return
        self._written = mark
        try:
            self._write(machine_text(machine))
            self.trouble = ""
        except OSError as error:
            self.trouble = f"{self._path} cannot be written: {error.strerror}; a restart forgets the order"

    def _write(self, text: str) -> None:
        part = self._path.with_suffix(".part")
        try:
            part.write_text(text, encoding="utf-8")
        except FileNotFoundError:
            part.parent.mkdir(parents=True)
            part.write_text(text, encoding="utf-8")
        part.replace(self._path)


def _mark(machine: OrderMachine) -> tuple[object, ...]:
    """Return what differs whenever a record does, and is cheap to compare."""
    run = machine.run
    return (
        machine.order,
        machine.message,
        machine.last_sequence_id,
        machine.is_canceled,
        machine.is_paused,
        machine.load_id,
        tuple(machine.actions),
        tuple(machine.instant_actions),
        (run.run_id, run.done, len(run.given), len(run.pending), len(run.rest), run.is_unwanted),
    )
