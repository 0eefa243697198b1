"""Paths made from others: what remains from an arc length on, and the same path with stops."""

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
    rest: list[Piece] = []
    start_m = 0.0
    for piece in path.pieces:
        remaining_m = start_m + piece.length_m - s_m
        if start_m >= s_m:
            rest.append(piece)
        elif remaining_m > _NOTHING_M:
            rest.append(PiecePart(piece, s_m - start_m, piece.length_m))
        start_m += piece.length_m
    while rest and rest[0].length_m == 0.0:
        del rest[0]
    return Path(rest or [Turn(path.end, 0.0)])


def with_stops(path: Path, stops_m: list[float]) -> Path:
    """Return the path with stops at some arc lengths, in ascending order; none within a micrometre of a piece's end."""
    pieces: list[Piece] = []
    start_m = 0.0
    for piece in path.pieces:
        end_m = start_m + piece.length_m
        cuts_m = [stop_m - start_m for stop_m in stops_m if start_m + _NOTHING_M < stop_m < end_m - _NOTHING_M]
        from_m = 0.0
        for cut_m in cuts_m:
            part = PiecePart(piece, from_m, cut_m)
            pieces += [part, Turn(part.end, 0.0)]
            from_m = cut_m
        pieces.append(PiecePart(piece, from_m, piece.length_m) if cuts_m else piece)
        start_m = end_m
    return Path(pieces)
