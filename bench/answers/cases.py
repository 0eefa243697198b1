"""The cases in which answers are counted, each with its unusual condition."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any

_MANY, _SOME = 2000, 300
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class CaseNetwork(Enum):
    """The network between the programs."""

    USUAL = "usual"
    LOSSY = "lossy"  # UDP only, and a share of the datagrams of drivers and clients is lost
    WIDENED = "widened"  # a race in the clients' processes is widened to a millisecond


class DriverSchedule(Enum):
    """What happens to drivers during the measurement."""

    NOTHING = "nothing"
    HANDOVERS = "handovers"  # the serving driver is suspended until the other one serves
    KILLS = "kills"  # the driver is killed every few seconds, and restarted at once


@dataclass(frozen=True, slots=True)
class Case:
    """A case.

    Parameters
    ----------
    goals : number of goals of a client, unless a schedule limits the duration
    hostile : the arguments of the hostile processes: a module of bench.answers, and its arguments
    is_attacked : whether robot 1 is under attack; the measured clients then do not use it
    settings : additional keys of the fleet's file
    """

    name: str
    goals: int = _SOME
    hostile: tuple[tuple[str, ...], ...] = ()
    is_attacked: bool = False
    network: CaseNetwork = CaseNetwork.USUAL
    schedule: DriverSchedule = DriverSchedule.NOTHING
    settings: Mapping[str, Any] = field(default=_NOTHING)


_FLOOD = ("hostile", "flood")
_CMD_VEL = ("hostile", "cmd_vel")
_ACCEPTS_CMD_VEL = MappingProxyType({"driver": {"accept": {"cmd_vel": True}}})
_QUICK_HANDOVER = MappingProxyType({"hosts": {"listen_s": 0.2, "silent_s": 2.0}})

_ALL = (
    Case("quiet", _MANY),
    Case("busy", _MANY, hostile=(("hostile", "spin"),) * 4),
    Case("lossy", network=CaseNetwork.LOSSY),
    Case("widened", _MANY, network=CaseNetwork.WIDENED),
    Case("latched", hostile=(("hostile", "latched"),), is_attacked=True),
    Case("flood", hostile=(_FLOOD, _FLOOD), is_attacked=True),
    Case("flood_cmd_vel", hostile=(_CMD_VEL, _CMD_VEL), is_attacked=True, settings=_ACCEPTS_CMD_VEL),
    Case("newcomers", hostile=(("newcomers",),), is_attacked=True),
    Case("queries", hostile=(("hostile", "queries"),)),
    Case("handover", hostile=(("hostile", "poll"),), schedule=DriverSchedule.HANDOVERS, settings=_QUICK_HANDOVER),
    Case("kills", schedule=DriverSchedule.KILLS),
)
CASES = {case.name: case for case in _ALL}
