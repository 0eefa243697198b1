"""The table of the kinds of task; light, since clients read it too."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from fleet.tasks.task_kind import TaskKind


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of task needs.

    Parameters
    ----------
    summary : what a robot does, for people
    places : the names of its places
    role : of the stations that its places must be; "" for any places
    has_path : whether it has a path
    has_route : whether it has a route: legs that drive, turn, stand and dock
    is_ours : whether its action does not belong to the customer's interface; it is below x/ then
    is_rescue : whether a robot with a critical battery accepts it
    aliases : former names of the kind, which are still understood
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
    """Return the kind with a public name or a former one; None if there is none."""
    return _NAMED.get(name)
