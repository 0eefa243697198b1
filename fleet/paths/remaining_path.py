"""Paths derived from others: the part after or before an arc length, or the same path with stops or speed limits."""

import math
from bisect import bisect_left
from collections.abc import Sequence

from fleet.paths.path import Path, Piece
from fleet.paths.piece_part import PiecePart
from fleet.paths.pieces import Arc, Line, Turn

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


def pieces_until(path: Path, s_m: float) -> list[Piece]:
    """Return the pieces of a path before an arc length, without turns at that place."""
    last = bisect_left(path.starts_m, s_m - _NOTHING_M)
    kept = list(path.pieces[:last])
    if kept and path.starts_m[last - 1] + kept[-1].length_m > s_m + _NOTHING_M:
        kept[-1] = _shortened(kept[-1], s_m - path.starts_m[last - 1])
    return kept


def pieces_from(path: Path, s_m: float) -> tuple[Piece, ...]:
    """Return the pieces of a path from an arc length on, with turns at that place."""
    first = bisect_left(path.starts_m, s_m - _NOTHING_M)
    rest = path.pieces[first:]
    started_m = path.starts_m[first - 1] if first else 0.0
    if first and started_m + path.pieces[first - 1].length_m > s_m + _NOTHING_M:
        current = path.pieces[first - 1]
        return (PiecePart(current, s_m - started_m, current.length_m), *rest)
    return rest


def _shortened(piece: Piece, length_m: float) -> Piece:
    """Return the first part of a piece."""
    if isinstance(piece, Line):
        return Line(piece.start, length_m, piece.is_backward)
    if isinstance(piece, Arc):
        return Arc(piece.start, length_m, piece.curvature_per_m, piece.is_backward)
    if isinstance(piece, PiecePart):
        return PiecePart(piece.piece, piece.from_m, piece.from_m + length_m, piece.highest_mps)
    return PiecePart(piece, 0.0, length_m)


def with_stops(path: Path, stops_m: list[float]) -> Path:
    """Return the path with stops at ascending arc lengths; stops within a micrometre of a piece's end are left out."""
    pieces: list[Piece] = []
    index, from_m = 0, 0.0  # the next piece, and how much of it is there already
    for stop_m in stops_m:
        at = min(max(0, bisect_left(path.starts_m, stop_m) - 1), len(path.pieces) - 1)
        start_m, piece = path.starts_m[at], path.pieces[at]
        if not start_m + _NOTHING_M < stop_m < start_m + piece.length_m - _NOTHING_M:
            continue
        if at > index:
            pieces += [_from(path.pieces[index], from_m), *path.pieces[index + 1 : at]]
            index, from_m = at, 0.0
        part = PiecePart(piece, from_m, stop_m - start_m)
        pieces += [part, Turn(part.end, 0.0)]
        from_m = part.to_m
    return Path([*pieces, _from(path.pieces[index], from_m), *path.pieces[index + 1 :]], joined_from=0)


def with_speeds(pieces: Sequence[Piece], spans: Sequence[tuple[float, float]]) -> Sequence[Piece]:
    """Return pieces limited to the highest speeds of spans, cut where these change.

    A span is the arc length of its end, and its highest speed; they come in order, and the last one has no end.
    """
    ends = [span for span, after in zip(spans, [*spans[1:], (0.0, -1.0)], strict=True) if span[1] != after[1]]
    if all(speed_mps == math.inf for _, speed_mps in ends):
        return pieces
    found: list[Piece] = []
    index, start_m = 0, 0.0
    for piece in pieces:
        from_m, length_m = 0.0, piece.length_m
        while from_m < length_m:
            while index < len(ends) - 1 and ends[index][0] <= start_m + from_m + _NOTHING_M:
                index += 1
            end_m, speed_mps = ends[index]
            to_m = length_m if index == len(ends) - 1 else min(length_m, end_m - start_m)
            to_m = length_m if length_m - to_m <= _NOTHING_M else to_m
            is_whole = (from_m, to_m, speed_mps) == (0.0, length_m, math.inf)
            found.append(piece if is_whole else PiecePart(piece, from_m, to_m, speed_mps))
            from_m = to_m
        found += [piece] if length_m == 0.0 else []
        start_m += length_m
    return found


def _from(piece: Piece, from_m: float) -> Piece:
    """Return the rest of a piece."""
    return PiecePart(piece, from_m, piece.length_m) if from_m > 0.0 else piece
