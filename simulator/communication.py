"""Infrared communication: which robot hears which other one, at which of its proximity sensors, and how strongly.

The model is that of the branch ir_comm of Enki by J. Guzzi: a pulse is heard where the receiving sensor lies in the
beam of a sending one, and that one in the receiver's aperture, with nothing between them. Of several beams at a sensor
the strongest counts. In centimetres the intensity has m = 4600, x0 = 0.2, c = 917; less than 1400, beyond 0.46 m, is
not heard.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.bodies import Bodies, Flags, Indices
from simulator.infrared import Response
from simulator.proximity import sensor_rays
from simulator.rays import distances_m

Array = NDArray[np.float64]

PERIOD_S = 0.1  # between two pulses of a robot
RANGE_M = 0.48
MIN_RAW = 1400.0
MAX_RAW = 4600.0
X0_M = 0.002
C_M2 = 0.0917
APERTURE_RAD = 0.644  # half of the cone in which a sensor hears
BEAM_RAD = 0.268  # half of the cone into which it sends
_RESPONSE = Response(MAX_RAW, X0_M, C_M2)
_APERTURE_COS, _BEAM_COS = np.cos(APERTURE_RAD), np.cos(BEAM_RAD)
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


def contacts(bodies: Bodies, poses: Array, talks: Flags) -> list[Contact]:
    """Return who hears whom, receivers in order, and for each the senders in order.

    Parameters
    ----------
    bodies
        the first of them are robots; what proximity sensors see stops infrared
    poses
        (b, 3)
    talks
        (n,) whether communication is enabled; a robot hears only while it may be heard
    """
    robots = poses[: len(talks)]
    receivers, senders = _near_pairs(robots[:, :2], talks)
    if not len(receivers):
        return []
    origins, directions = sensor_rays(robots)
    between = origins[senders][:, None, :, :] - origins[receivers][:, :, None, :]  # from sensor to sensor: (p, 7, 7, 2)
    distances = np.maximum(np.linalg.norm(between, axis=3), 1e-9)
    heard_from = (between * directions[receivers][:, :, None, :]).sum(axis=3) >= _APERTURE_COS * distances
    sent_to = -(between * directions[senders][:, None, :, :]).sum(axis=3) >= _BEAM_COS * distances
    intensities = np.where(heard_from & sent_to, intensity_raw(distances), 0.0)
    pairs, ears, mouths = np.nonzero(intensities)
    starts, ways = origins[receivers[pairs], ears], between[pairs, ears, mouths]
    blocked = _hidden(bodies, poses, (starts, ways), receivers[pairs], senders[pairs])
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


def _hidden(bodies: Bodies, poses: Array, ways: tuple[Array, Array], receivers: Indices, senders: Indices) -> Flags:
    """Return which ways, from (r, 2) along (r, 2), cross something that neither hears nor sends."""
    starts, along = ways
    lengths = np.linalg.norm(along, axis=1)
    directions = along / np.maximum(lengths, 1e-9)[:, None]
    way, body = np.nonzero(_near(bodies, poses, starts + 0.5 * along, 0.5 * lengths))
    third = (body != receivers[way]) & (body != senders[way]) & bodies.is_seen[body]
    way, body = way[third], body[third]
    hidden = np.zeros(len(starts), dtype=bool)
    if len(way):
        crossed = distances_m(bodies, poses, body, starts[way][:, None], directions[way][:, None])[:, 0] < lengths[way]
        hidden[way[crossed]] = True
    return hidden


def _near(bodies: Bodies, poses: Array, middles_m: Array, reaches_m: Array) -> Flags:
    """Return which bodies could cross a circle; (r, b)."""
    away = np.linalg.norm(poses[:, :2] - middles_m[:, None, :], axis=2)
    extent = bodies.reaches + np.linalg.norm(bodies.spans, axis=1)
    near: Flags = away <= reaches_m[:, None] + extent
    return near
