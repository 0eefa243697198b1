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
    place_count : how many places it has
    has_path : whether it has a path
    is_ours : whether its action does not belong to the customer's interface; it is below x/ then
    aliases : former names of the kind, which are still understood
    """

    place_count: int = 0
    has_path: bool = False
    is_ours: bool = False
    aliases: tuple[str, ...] = ()


KINDS: Final[Mapping[TaskKind, Kind]] = MappingProxyType(
    {
        TaskKind.GO_TO: Kind(place_count=1),
        TaskKind.GO_HOME: Kind(),
        TaskKind.TRANSPORT: Kind(place_count=2),
        TaskKind.FOLLOW_PATH: Kind(has_path=True, is_ours=True, aliases=("follow",)),
    }
)
KIND_NAMES: Final = tuple(kind.public_name for kind in KINDS)
FORMER_NAMES: Final = tuple(name for facts in KINDS.values() for name in facts.aliases)
_NAMED: Final = {name: kind for kind, facts in KINDS.items() for name in (kind.public_name, *facts.aliases)}


def kind_named(name: str) -> TaskKind | None:
    """Return the kind with a public name or a former one; None if there is none."""
    return _NAMED.get(name)
