"""The stage `port`: facts about serial ports, without opening one, which would start stored programs."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports

from fleet.bringup.cause import Cause
from fleet.bringup.stage_result import BringupStage, StageResult, Symptom

THYMIO_VENDOR = 0x0617
PRODUCTS = {0x000A: "Thymio on a cable", 0x000C: "wireless dongle"}
_PROCESSES = Path("/proc")
_UDEV = Path("/run/udev/data")


@dataclass(frozen=True, slots=True)
class PortFacts:
    """Facts about a serial port.

    `holders` are programs that have it open; `has_modem_manager` is whether ModemManager runs and may probe it.
    """

    device: str
    exists: bool = True
    is_device: bool = True
    may_open: bool = True
    owner_text: str = ""
    usb_id: tuple[int, int] | None = None
    holders: tuple[str, ...] = ()
    has_modem_manager: bool = False


def judge_port(facts: PortFacts, others: tuple[str, ...] = ()) -> StageResult:
    """Return whether a port is usable; `others` are the ports of Thymios on this computer."""
    symptoms = []
    found = f"; ports of Thymios: {', '.join(others)}" if others else "; this computer has no port of a Thymio"
    if not facts.exists:
        symptoms.append(Symptom(Cause.NO_PORT, f"there is no {facts.device}{found}"))
    elif not facts.is_device:
        symptoms.append(Symptom(Cause.PORT_DEAD, f"{facts.device} is a file, not a port"))
    elif not facts.may_open:
        symptoms.append(Symptom(Cause.NO_PERMISSION, f"{facts.device} belongs to {facts.owner_text}"))
    elif facts.holders:
        symptoms.append(Symptom(Cause.PORT_TAKEN, f"{facts.device} is open in {', '.join(facts.holders)}"))
    elif facts.has_modem_manager:
        text = "ModemManager runs, and may probe the port as a modem"
        symptoms.append(Symptom(Cause.MODEM_MANAGER, text, is_fatal=False))
    return StageResult(BringupStage.PORT, symptoms=tuple(symptoms), notes=_notes(facts))


def _notes(facts: PortFacts) -> tuple[str, ...]:
    if facts.usb_id is None:
        return (f"{facts.device}: no USB device, or its numbers are unknown",)
    vendor, product = facts.usb_id
    kind = PRODUCTS.get(product, "another device") if vendor == THYMIO_VENDOR else "another device"
    return (f"{facts.device}: USB {vendor:04x}:{product:04x}, {kind}",)


def thymio_ports() -> tuple[str, ...]:
    """Return the devices of Thymios on cables and of dongles."""
    return tuple(
        sorted(port.device for port in list_ports.comports() if port.vid == THYMIO_VENDOR and port.pid in PRODUCTS)
    )


def port_facts(device: str) -> PortFacts:
    """Return the facts about a port."""
    path = Path(device)
    usb_id = next(
        ((port.vid, port.pid) for port in list_ports.comports() if port.device == device and port.vid is not None), None
    )
    try:
        status = path.stat()
    except OSError:
        return PortFacts(device, exists=False, usb_id=usb_id)
    return PortFacts(
        device,
        is_device=stat.S_ISCHR(status.st_mode),
        may_open=os.access(device, os.R_OK | os.W_OK),
        owner_text=_owner(path),
        usb_id=usb_id,
        holders=tuple(_holders(path.resolve())),
        has_modem_manager=usb_id is not None and _is_probed(status.st_rdev),
    )


def _owner(path: Path) -> str:
    try:
        return f"user {path.owner()} and group {path.group()}"
    except (OSError, KeyError):
        return "an unknown user"


def _holders(device: Path) -> Iterator[str]:
    """Yield our programs, or all for root, that have a device open."""
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if any(handle.readlink() == device for handle in (process / "fd").iterdir()):
                yield f"{(process / 'comm').read_text().strip()} ({process.name})"


def _is_probed(number: int) -> bool:
    """Whether ModemManager runs, and no udev rule keeps it from this device."""
    names = []
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            names.append((process / "comm").read_text().strip())
    if "ModemManager" not in names:
        return False
    with suppress(OSError):
        data = (_UDEV / f"c{os.major(number)}:{os.minor(number)}").read_text()
        return "ID_MM_DEVICE_IGNORE=1" not in data
    return True
