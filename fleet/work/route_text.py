"""Routes as one line of text, for commands, jobs, experiments and pages: "0.3,0.5 press@0.1 turn:90deg wait:2"."""

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from fleet.errors import GoalRejectedError
from fleet.geometry import Pose2D
from fleet.reason import Reason
from fleet.settings.path_limits import TEXT_MAX
from fleet.tasks.route import RouteLeg, RouteLegKind
from thymio_base.argument_types import angle_rad, metres, positive_metres, positive_mps, seconds
from thymio_base.texts.shortened import shortened

Find: TypeAlias = Callable[[str], Pose2D | None]  # returns the pose of a station; None if it does not exist

ROUTE_HELP: Final = (
    "legs: X,Y or a station to drive there, several with ; between them, @M/S for the highest speed, ~M for how far "
    "corners are rounded; turn:ANGLE, wait:S, load:S, unload:S, dock:STATION"
)
_STANDS: Final = ("wait", "load", "unload")


def route_of_text(text: str, find: Find) -> tuple[RouteLeg, ...]:
    """Return the legs of a route given as text.

    Raises
    ------
    GoalRejectedError
        A leg cannot be read, or its station does not exist; the refusal says which.
    """
    if len(text) > TEXT_MAX:
        raise _refused(f"the route has {len(text)} characters, more than {TEXT_MAX}")
    return route_of_words(text.split(), find)


def route_of_words(words: Sequence[str], find: Find) -> tuple[RouteLeg, ...]:
    """Return the legs of a route, one for each word, as `route_of_text` does."""
    legs = []
    for index, word in enumerate(words):
        try:
            legs.append(_leg(word, find))
        except argparse.ArgumentTypeError as error:
            raise _refused(f"leg {index}, {shortened(repr(word))}: {error}") from None
    return tuple(legs)


def route_text(legs: Sequence[RouteLeg], *, named: bool = True) -> str:
    """Return legs as text; stations by their names if `named`, otherwise by their coordinates."""
    return " ".join(_written(leg, named=named) for leg in legs)


def _leg(word: str, find: Find) -> RouteLeg:
    what, colon, value = word.partition(":")
    if not colon:
        return _drive(word, find)
    if what == "turn":
        return RouteLeg(RouteLegKind.TURN, value=angle_rad(value))
    if what in _STANDS:
        return RouteLeg(RouteLegKind(what), value=seconds(value))
    if what == "dock":
        point_m, name = _point(value, find)
        return RouteLeg(RouteLegKind.DOCK, (point_m,), names=(name,))
    known = ", ".join(f"{kind.value}:" for kind in RouteLegKind if kind is not RouteLegKind.DRIVE)
    raise argparse.ArgumentTypeError(f"it starts with none of {known}, and is not a place")


def _drive(word: str, find: Find) -> RouteLeg:
    rest, tilde, corner = word.partition("~")
    places, at, speed = rest.partition("@")
    found = [_point(place, find) for place in places.split(";")]
    return RouteLeg(
        RouteLegKind.DRIVE,
        tuple(point_m for point_m, _ in found),
        positive_mps(speed) if at else 0.0,
        positive_metres(corner) if tilde else 0.0,
        tuple(name for _, name in found),
    )


def _point(text: str, find: Find) -> tuple[tuple[float, float], str]:
    """Return the place, and its name if it is a station."""
    x, comma, y = text.partition(",")
    if comma:
        return (metres(x), metres(y)), ""
    pose = find(text) if text else None
    if pose is None:
        raise argparse.ArgumentTypeError(f"{shortened(repr(text))} is neither X,Y in metres nor a station")
    return (pose.x_m, pose.y_m), text


def _written(leg: RouteLeg, *, named: bool) -> str:
    names = leg.names if named and leg.names else ("",) * len(leg.points_m)
    places = [name or f"{x_m!r},{y_m!r}" for (x_m, y_m), name in zip(leg.points_m, names, strict=True)]
    if leg.kind is RouteLegKind.DRIVE:
        speed = f"@{leg.value!r}" if leg.value else ""
        corner = f"~{leg.corner_m!r}" if leg.corner_m else ""
        return f"{';'.join(places)}{speed}{corner}"
    value = math.remainder(leg.value, math.tau) if leg.kind is RouteLegKind.TURN else leg.value
    return f"{leg.kind.value}:{places[0] if places else repr(value)}"


def _refused(text: str) -> GoalRejectedError:
    return GoalRejectedError(Reason.BAD_PATH, text)
