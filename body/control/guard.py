"""Joint limits: applied to the sum of all commands, so that no reacher can exceed them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from body.description.robot_tree import Floats


def scaled_to_speed(velocities: Floats, fastest: Floats) -> Floats:
    """Scale velocities by one common factor to respect all speed limits; values that are not finite become 0.

    Parameters
    ----------
    velocities, fastest
        velocities and speed limits of the motions, shape (motions,)
    """
    finite = np.where(np.isfinite(velocities), velocities, 0.0)
    with np.errstate(over="ignore"):
        excess = float(np.max(np.abs(finite) / fastest, initial=1.0))
    scaled: Floats = finite / excess
    return _between(scaled, -fastest, fastest)


def scaled_by_limb(velocities: Floats, fastest: Floats, limbs: Iterable[NDArray[np.bool_]]) -> Floats:
    """Scale velocities to their limits by one factor for each set of connected motions.

    Parameters
    ----------
    velocities, fastest
        velocities and speed limits of the motions, shape (motions,)
    limbs
        motions that belong together, each a mask of shape (motions,); overlapping limbs are merged
    """
    if (np.abs(velocities) <= fastest).all():
        return velocities
    scaled = velocities.copy()
    for limb in _connected(limbs):
        scaled[limb] = scaled_to_speed(velocities[limb], fastest[limb])
    return scaled


def _connected(limbs: Iterable[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
    """Merge overlapping limbs."""
    found: list[NDArray[np.bool_]] = []
    for limb in limbs:
        joined, apart = limb, []
        for other in found:
            if (other & limb).any():
                joined = joined | other
            else:
                apart.append(other)
        found = [*apart, joined]
    return found


def next_reference(
    reference: Floats,
    measured: Floats,
    velocities: Floats,
    limits: tuple[Floats, Floats],
    *,
    fastest: Floats,
    lead: Floats,
    period_s: float,
) -> Floats:
    """Return the next position references, which respect the limits of position, speed and lead.

    A reference outside the limits, where the joint was when control was taken, returns at the speed limit once a
    velocity is commanded; until then it stays there.

    Parameters
    ----------
    reference
        previous references, shape (motions,)
    measured
        measured positions, shape (motions,)
    velocities
        commanded velocities, shape (motions,)
    limits
        lower and upper limits of the references, each of shape (motions,)
    fastest
        largest speeds, shape (motions,)
    lead
        largest distances between reference and measured position, shape (motions,) [rad or m]
    period_s
        time between two references
    """
    wanted = _between(reference + velocities * period_s, measured - lead, measured + lead)
    stands = velocities == 0
    lowest = np.where(stands, np.minimum(limits[0], reference), limits[0])
    highest = np.where(stands, np.maximum(limits[1], reference), limits[1])
    wanted = _between(wanted, lowest, highest)
    step = fastest * period_s
    return _between(wanted, reference - step, reference + step)


def kept_inside(velocities: Floats, measured: Floats, limits: tuple[Floats, Floats], horizon_s: float) -> Floats:
    """Limit the velocities of velocity-driven joints so that they stay within their limits for the horizon.

    Parameters
    ----------
    velocities, measured
        commanded velocities and measured positions of the motions, shape (motions,)
    limits
        lower and upper limits, each of shape (motions,)
    horizon_s
        longest time that a joint keeps moving before a later command reaches it
    """
    up = np.maximum((limits[1] - measured) / horizon_s, 0.0)
    down = np.minimum((limits[0] - measured) / horizon_s, 0.0)
    return _between(velocities, down, up)


def _between(numbers: Floats, low: Floats, high: Floats) -> Floats:
    """Clip as numpy does, without its checks, which take longer than clipping a few numbers."""
    result: Floats = np.minimum(np.maximum(numbers, low), high)
    return result
