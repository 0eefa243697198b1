"""Settings of path tracking: the sections `tracker` and `actuation` of fleet.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class LawName(Enum):
    """The control laws; each is a module of `fleet.control` with the value's name."""

    PD_PURSUIT = "pd_pursuit"  # Park 2024, as published: the baseline
    PURE_PURSUIT = "pure_pursuit"  # geometric, regulated: smooths changes of curvature
    PATH_FOLLOWING = "path_following"  # after Samson and Micaelli: no reference in time
    KANAYAMA = "kanayama"  # a reference in time, with feed-forward
    LQR = "lqr"  # the same, with gains that are optimal for lagging wheels


@dataclass(frozen=True, slots=True)
class PdPursuitGains:
    """Gains of `fleet.control.pd_pursuit`."""

    ks_per_s: float
    kn_rad_per_m_s: float
    ktheta_per_s: float


@dataclass(frozen=True, slots=True)
class PurePursuitGains:
    """Tuning of `fleet.control.pure_pursuit`."""

    lookahead_m: float
    lookahead_s: float
    radius_m: float
    approach_m: float
    creep_mps: float


@dataclass(frozen=True, slots=True)
class PathFollowingGains:
    """Tuning of `fleet.control.path_following`."""

    stiffness_per_m: float
    damping: float
    brake_mps2: float


@dataclass(frozen=True, slots=True)
class KanayamaGains:
    """Gains of `fleet.control.kanayama`."""

    kx_per_s: float
    ky_per_m2: float
    ktheta_per_m: float
    kturn_per_s: float


@dataclass(frozen=True, slots=True)
class LqrWeights:
    """Errors and corrections that `fleet.control.lqr` counts as equally bad."""

    along_m: float
    cross_m: float
    heading_rad: float
    linear_mps: float
    angular_radps: float


@dataclass(frozen=True, slots=True)
class TrackerConfig:
    """The control law of the robots, and the tuning of each law."""

    law: LawName
    replan_error_m: float
    pd_pursuit: PdPursuitGains
    pure_pursuit: PurePursuitGains
    path_following: PathFollowingGains
    kanayama: KanayamaGains
    lqr: LqrWeights


@dataclass(frozen=True, slots=True)
class ActuationConfig:
    """Latency and lag of the wheels, and which parameters are learned while driving."""

    latency_s: float
    lag_s: float
    dead_band_raw: int
    predicts: bool
    learns_latency: bool
    learns_gains: bool


def build_tracker_config(values: Mapping[str, Any]) -> TrackerConfig:
    """Return the section `tracker` of a file that conforms to the schema."""
    return TrackerConfig(
        law=LawName(values["law"]),
        replan_error_m=values["replan_error_m"],
        pd_pursuit=PdPursuitGains(**values["pd_pursuit"]),
        pure_pursuit=PurePursuitGains(**values["pure_pursuit"]),
        path_following=PathFollowingGains(**values["path_following"]),
        kanayama=KanayamaGains(**values["kanayama"]),
        lqr=LqrWeights(**values["lqr"]),
    )
