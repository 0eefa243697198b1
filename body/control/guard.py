"""Limits of joints: no sum of commands passes one, whatever the reachers write."""

import math
from typing import Final

import numpy as np

from body.description.robot_tree import Floats

MARGIN_RAD: Final = math.radians(0.5)  # from the limits of position


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


def guarded_limits(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return limits drawn in by the margin, or to the middle of a range that is narrower than twice the margin."""
    narrow = np.minimum(MARGIN_RAD, (upper - lower) / 2)
    return lower + narrow, upper - narrow


def next_reference(
    reference: Floats,
    measured: Floats,
    velocities: Floats,
    limits: tuple[Floats, Floats],
    *,
    fastest: Floats,
    lead: float,
    period_s: float,
) -> Floats:
    """Return the next position references: within the limits, near the measured positions, and never too fast.

    A reference that is outside of the limits, as the joint was when it was taken over, returns at the speed limit.

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
        largest distance between reference and measured position [rad or m]
    period_s
        between two references
    """
    wanted = _between(reference + velocities * period_s, measured - lead, measured + lead)
    wanted = _between(wanted, limits[0], limits[1])
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
