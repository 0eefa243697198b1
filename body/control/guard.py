"""Limits of joints: no sum of commands passes one, whatever the reachers write."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from body.description.robot_tree import Floats


def scaled_to_speed(velocities: Floats, fastest: Floats) -> Floats:
    """Return velocities scaled by one factor, so that no motion is faster than its limit; not finite ones become 0.

    Parameters
    ----------
    velocities, fastest
        of the motions, shape (motions,)
    """
    finite = np.where(np.isfinite(velocities), velocities, 0.0)
    with np.errstate(over="ignore"):
        excess = float(np.max(np.abs(finite) / fastest, initial=1.0))
    scaled: Floats = finite / excess
    return _between(scaled, -fastest, fastest)


def scaled_by_limb(velocities: Floats, fastest: Floats, limbs: Iterable[NDArray[np.bool_]]) -> Floats:
    """Return velocities scaled to their limits by one factor for each set of motions that limbs connect.

    Parameters
    ----------
    velocities, fastest
        of the motions, shape (motions,)
    limbs
        which motions belong together, each of shape (motions,); those that overlap are one
    """
    if (np.abs(velocities) <= fastest).all():
        return velocities
    scaled = velocities.copy()
    for limb in _connected(limbs):
        scaled[limb] = scaled_to_speed(velocities[limb], fastest[limb])
    return scaled


def _connected(limbs: Iterable[NDArray[np.bool_]]) -> list[NDArray[np.bool_]]:
    """Return limbs that do not overlap: those that do become one."""
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
    """Return the next position references: within the limits, near the measured positions, and never too fast.

    A reference that is outside of the limits, as the joint was when it was taken over, returns at the speed limit once
    a velocity is commanded; without one, it stands there.

    Parameters
    ----------
    reference
        the previous ones, shape (motions,)
    measured
        positions, shape (motions,)
    velocities
        commanded ones, shape (motions,)
    limits
        of the references, each of shape (motions,)
    fastest
        largest speeds, shape (motions,)
    lead
        largest distances between reference and measured position, shape (motions,) [rad or m]
    period_s
        between two references
    """
    wanted = _between(reference + velocities * period_s, measured - lead, measured + lead)
    stands = velocities == 0
    lowest = np.where(stands, np.minimum(limits[0], reference), limits[0])
    highest = np.where(stands, np.maximum(limits[1], reference), limits[1])
    wanted = _between(wanted, lowest, highest)
    step = fastest * period_s
    return _between(wanted, reference - step, reference + step)


def kept_inside(velocities: Floats, measured: Floats, limits: tuple[Floats, Floats], horizon_s: float) -> Floats:
    """Return velocities with which joints that are driven by velocity stay inside for the horizon.

    Parameters
    ----------
    velocities, measured
        of the motions, shape (motions,)
    limits
        each of shape (motions,)
    horizon_s
        the time a joint may go on before a later command reaches it
    """
    up = np.maximum((limits[1] - measured) / horizon_s, 0.0)
    down = np.minimum((limits[0] - measured) / horizon_s, 0.0)
    return _between(velocities, down, up)


def _between(numbers: Floats, low: Floats, high: Floats) -> Floats:
    """Return numpy's clip without its checks, which take longer than clipping a few numbers."""
    result: Floats = np.minimum(np.maximum(numbers, low), high)
    return result
