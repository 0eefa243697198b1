"""The lengths of scale bars, in pictures and terminals."""

_LENGTHS_M = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_SHARE = 0.2  # of the width, at most


def scale_length_m(width_m: float) -> float:
    """Return the largest round length that takes at most a fifth of a width."""
    return max((length_m for length_m in _LENGTHS_M if length_m <= _SHARE * width_m), default=_LENGTHS_M[0])
