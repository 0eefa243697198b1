"""The stage `port`: what the computer says of a serial port, without opening it: opening one starts stored programs."""

from dataclasses import dataclass

from fleet.bringup.cause import Cause
from fleet.bringup.stage_result import BringupStage, StageResult, Symptom

THYMIO_VENDOR = 0x0617
PRODUCTS = {0x000A: "Thymio on a cable", 0x000C: "wireless dongle"}


@dataclass(frozen=True, slots=True)
class PortFacts:
    """What is known of a serial port.

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
    """Return whether a port can be used; `others` are the Thymios' ports that were found."""
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
