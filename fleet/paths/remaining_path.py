"""Paths made from others: what remains from an arc length on, and the same path with stops."""

from bisect import bisect_left

from fleet.paths.path import Path, Piece
from fleet.paths.piece_part import PiecePart
from fleet.paths.pieces import Turn

_NOTHING_M = 1e-9  # shorter parts of pieces are left out


def remaining_path(path: Path, s_m: float) -> Path:
    """Return the path from an arc length on; before the path all of it, beyond it only the pose of its end.

    Where the path turns on the spot at `s_m`, the rest starts after the turn.
    """
    if s_m <= 0.0:
        return path
    first = bisect_left(path.starts_m, s_m)
    rest, from_m = path.pieces[first:], s_m - path.starts_m[first - 1]
    current = path.pieces[first - 1]
    if current.length_m - from_m > _NOTHING_M:
        return Path([PiecePart(current, from_m, current.length_m), *rest], joined_from=0)
    turns = 0
    while turns < len(rest) and rest[turns].length_m == 0.0:
        turns += 1
    return Path(rest[turns:] or [Turn(path.end, 0.0)], joined_from=0)


def with_stops(path: Path, stops_m: list[float]) -> Path:
    """Return the path with stops at some arc lengths, in ascending order; none within a micrometre of a piece's end."""
    pieces: list[Piece] = []
    stop = 0  # the index of the next one
    for index, piece in enumerate(path.pieces):
        start_m, from_m, cuts = path.starts_m[index], 0.0, 0
        end_m = start_m + piece.length_m
        while stop < len(stops_m) and stops_m[stop] <= start_m + _NOTHING_M:
            stop += 1
        while stop < len(stops_m) and stops_m[stop] < end_m - _NOTHING_M:
            part = PiecePart(piece, from_m, stops_m[stop] - start_m)
            pieces += [part, Turn(part.end, 0.0)]
            from_m, stop, cuts = part.to_m, stop + 1, cuts + 1
        pieces.append(PiecePart(piece, from_m, piece.length_m) if cuts else piece)
    return Path(pieces, joined_from=0)
