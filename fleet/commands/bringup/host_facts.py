"""Reads what the computer says of serial ports, without opening them."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from serial.tools import list_ports

from fleet.bringup.port_judge import PRODUCTS, THYMIO_VENDOR, PortFacts

_PROCESSES = Path("/proc")
_UDEV = Path("/run/udev/data")


def thymio_ports() -> tuple[str, ...]:
    """Return the devices of robots on cables and of dongles."""
    return tuple(
        sorted(port.device for port in list_ports.comports() if port.vid == THYMIO_VENDOR and port.pid in PRODUCTS)
    )


def port_facts(device: str) -> PortFacts:
    """Return what is known of a port."""
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
    """Yield the programs of ours, or all for root, that have a device open."""
    for process in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if any(handle.readlink() == device for handle in (process / "fd").iterdir()):
                yield f"{(process / 'comm').read_text().strip()} ({process.name})"


def _is_probed(number: int) -> bool:
    """Whether ModemManager runs, and udev has no rule that keeps it from this device."""
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
