"""Infrared communication: which robot hears which other one, at which of its proximity sensors, and how strongly.

The model is that of the branch ir_comm of Enki by J. Guzzi: a pulse is heard where the receiving sensor lies in the
beam of a sending one, and that one in the receiver's aperture, with nothing between them. Of several beams at a sensor
the strongest counts. In centimetres the intensity has m = 4600, x0 = 0.2, c = 917; less than 1400, beyond 0.46 m, is
not heard.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.contacts import DISC_RADIUS_M
from simulator.infrared import Response
from simulator.proximity import distances_to_walls, sensor_rays

Array = NDArray[np.float64]

PERIOD_S = 0.1  # between two pulses of a robot
RANGE_M = 0.48
MIN_RAW = 1400.0
_RESPONSE = Response(4600.0, 0.002, 0.0917)
_APERTURE_COS = np.cos(0.644)  # half of the cone in which a sensor hears
_BEAM_COS = np.cos(0.268)  # half of the cone into which it sends
_REACH_M = RANGE_M + 2.0 * 0.085  # between axles; no sensor is further from its axle than 0.085 m


@dataclass(frozen=True, slots=True)
class Contact:
    """One robot hears another: their indices, and the intensity at each of the receiver's seven sensors, 0 for none."""

    receiver: int
    sender: int
    intensities_raw: tuple[int, ...]


def intensity_raw(distances_m: Array) -> Array:
    """Return how strongly a pulse is heard at each distance; 0 is not at all."""
    response = _RESPONSE.raw(distances_m)
    intensity: Array = np.where((distances_m <= RANGE_M) & (response >= MIN_RAW), response, 0.0)
    return intensity


def contacts(
    positions_m: Array, headings_rad: Array, centres_m: Array, walls_m: Array, talks: NDArray[np.bool_]
) -> list[Contact]:
    """Return who hears whom, receivers in order, and for each the senders in order.

    Parameters
    ----------
    positions_m
        (n, 2) axle positions
    headings_rad
        (n,)
    centres_m
        (n, 2) centres of the bodies' discs
    walls_m
        (w, 4) walls from (x1, y1) to (x2, y2)
    talks
        (n,) whether communication is enabled; a robot hears only while it may be heard
    """
    receivers, senders = _near_pairs(positions_m, talks)
    if not len(receivers):
        return []
    origins, directions = sensor_rays(positions_m, headings_rad)
    between = origins[senders][:, None, :, :] - origins[receivers][:, :, None, :]  # from sensor to sensor: (p, 7, 7, 2)
    distances = np.maximum(np.linalg.norm(between, axis=3), 1e-9)
    heard_from = (between * directions[receivers][:, :, None, :]).sum(axis=3) >= _APERTURE_COS * distances
    sent_to = -(between * directions[senders][:, None, :, :]).sum(axis=3) >= _BEAM_COS * distances
    intensities = np.where(heard_from & sent_to, intensity_raw(distances), 0.0)
    pairs, ears, mouths = np.nonzero(intensities)
    starts, ways = origins[receivers[pairs], ears], between[pairs, ears, mouths]
    blocked = _behind_walls(starts, ways, walls_m)
    blocked |= _behind_robots(starts, ways, centres_m, receivers[pairs], senders[pairs])
    intensities[pairs[blocked], ears[blocked], mouths[blocked]] = 0.0
    loudest = np.rint(intensities.max(axis=2)).astype(int)
    return [
        Contact(int(receiver), int(sender), tuple(words))
        for receiver, sender, words in zip(receivers, senders, loudest.tolist(), strict=True)
        if any(words)
    ]


def _near_pairs(positions_m: Array, talks: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return receivers and senders of all pairs that could hear each other."""
    near = np.linalg.norm(positions_m[:, None, :] - positions_m[None, :, :], axis=2) <= _REACH_M
    near &= talks[:, None] & talks[None, :]
    np.fill_diagonal(near, False)
    receivers, senders = np.nonzero(near)
    return receivers, senders


def _behind_walls(starts_m: Array, ways_m: Array, walls_m: Array) -> NDArray[np.bool_]:
    """Return which ways are crossed by a wall; (r, 2) and (r, 2) to (r,)."""
    lengths = np.linalg.norm(ways_m, axis=1)
    directions = ways_m / np.maximum(lengths, 1e-9)[:, None]
    behind: NDArray[np.bool_] = distances_to_walls(starts_m[:, None], directions[:, None], walls_m)[:, 0] < lengths
    return behind


def _behind_robots(
    starts_m: Array, ways_m: Array, centres_m: Array, receivers: NDArray[np.intp], senders: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Return which ways are crossed by the disc of a third robot: its centre is nearer to the way than its radius."""
    away = centres_m - starts_m[:, None, :]
    share = (away * ways_m[:, None, :]).sum(axis=2) / np.maximum((ways_m**2).sum(axis=1), 1e-12)[:, None]
    nearest = away - np.clip(share, 0.0, 1.0)[:, :, None] * ways_m[:, None, :]
    crossed = np.linalg.norm(nearest, axis=2) < DISC_RADIUS_M
    rows = np.arange(len(starts_m))
    crossed[rows, receivers] = False
    crossed[rows, senders] = False
    return crossed.any(axis=1)
