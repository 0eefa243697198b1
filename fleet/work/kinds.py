"""The table of the kinds of task; light, since clients read it too."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fleet.tasks.task_kind import TaskKind


@dataclass(frozen=True, slots=True)
class Kind:
    """Facts about a kind of task.

    Parameters
    ----------
    summary : what the robot does, for people
    places : names of its places
    role : the role that stations at its places must have; "" if any place will do
    has_path : whether it has a path
    has_route : whether it has a route: drives, turns, waits and docking
    is_ours : whether its action is an extension to the customer's interface, below x/
    is_rescue : whether a robot with a critical battery accepts it
    aliases : former names that are still accepted
    """

    summary: str
    places: tuple[str, ...] = ()
    role: str = ""
    has_path: bool = False
    has_route: bool = False
    is_ours: bool = False
    is_rescue: bool = False
    aliases: tuple[str, ...] = ()


KINDS: Final[Mapping[TaskKind, Kind]] = MappingProxyType(
    {
        TaskKind.GO_TO: Kind("drive to a place", places=("place",)),
        TaskKind.GO_HOME: Kind("drive home", is_rescue=True),
        TaskKind.TRANSPORT: Kind("carry something from one place to another", places=("from", "to")),
        TaskKind.FOLLOW_PATH: Kind("follow a path", has_path=True, is_ours=True, aliases=("follow",)),
        TaskKind.FOLLOW_ROUTE: Kind("drive, turn, stand and dock, leg by leg", has_route=True, is_ours=True),
        TaskKind.DOCK: Kind("dock at a charger", places=("charger",), role="charge", is_ours=True, is_rescue=True),
    }
)
KIND_NAMES: Final = tuple(kind.public_name for kind in KINDS)
_NAMED: Final = {name: kind for kind, facts in KINDS.items() for name in (kind.public_name, *facts.aliases)}


def kind_named(name: str) -> TaskKind | None:
    """Return the kind with a public or former name; None if there is none."""
    return _NAMED.get(name)
