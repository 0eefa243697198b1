"""Keeps the state of vehicles for a restart: two files for each vehicle and broker, written in turn."""

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

from fleet.settings.vda5050_config import BrokerAddress
from fleet.vda5050.order.order_machine import OrderMachine
from fleet.vda5050.vehicle.vehicle import VehicleIdentity
from fleet.vda5050.vehicle.vehicle_record import RecordError, machine_text, restore_machine
from thymio_base.texts.json_text import own_json

_PAUSE: Final = 20  # calls between two tries to write the same


class KeptVehicle:
    """The files of one vehicle at one broker.

    A program that is killed while it writes leaves one file in pieces, and the other one as it was. To put a new file
    in the place of the old one each time would wait for the disk.
    """

    def __init__(self, folder: Path, domain: int, broker: BrokerAddress, identity: VehicleIdentity) -> None:
        names = (broker.host, broker.port, identity.interface, identity.manufacturer, identity.serial)
        key = hashlib.sha256(json.dumps([domain, *names]).encode()).hexdigest()[:12]
        self._paths: Final = [folder / f"{identity.serial}-{key}-{index}.json" for index in range(2)]
        self._written: object = None  # the latest state that was written ...
        self._failed: object = None  # ... and the latest one that could not be
        self._pause = 0  # calls until that is tried again
        self._number = 0  # of the latest record
        self.trouble = ""  # why the files cannot be read or written; "" if they can

    def restore(self, machine: OrderMachine) -> bool:
        """Restore a machine from the kept record of these names; return whether there was one."""
        records: list[tuple[int, Path, dict[str, Any]]] = []
        for path in self._paths:
            try:
                record = own_json(path.read_bytes().partition(b"\n")[0])
                number = int(record["number"])
                self._number = max(self._number, number)
                records.append((number, path, record))
            except FileNotFoundError:
                continue
            except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
                self.trouble = f"{path} is left aside: {error}"
        for _, path, record in sorted(records, key=lambda one: one[0], reverse=True):
            try:
                restore_machine(machine, record)
            except RecordError as error:
                self.trouble = f"{path} is left aside: {error}"
            else:
                self.trouble = ""
                return True
        return False

    def keep(self, machine: OrderMachine) -> str:
        """Write changes; return why that fails, once, otherwise ""."""
        run = machine.run
        steps = run.run_id, run.done, len(run.given), len(run.pending), len(run.rest), run.is_unwanted
        mark = machine.content, steps
        if mark == self._written:
            return ""
        if mark == self._failed and self._pause > 0:
            self._pause -= 1
            return ""
        number, before = self._number + 1, self.trouble
        path = self._paths[number % 2]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _overwrite(path, (machine_text(machine, number) + "\n").encode())
            self._number, self._written, self.trouble = number, mark, ""
        except OSError as error:
            self._failed, self._pause = mark, _PAUSE  # the same file comes next: the other one has the latest record
            self.trouble = f"{path.parent} cannot be written to: {error.strerror}; a restart forgets the order"
        return "" if self.trouble == before else self.trouble


def _overwrite(path: Path, data: bytes) -> None:
    """Overwrite the start of a file without truncating it."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        if os.pwrite(number, data, 0) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(number)
