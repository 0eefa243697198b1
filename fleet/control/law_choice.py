"""Builds the control law chosen in the configuration."""

from typing import assert_never

from fleet.control.kanayama import Kanayama
from fleet.control.lqr import Lqr
from fleet.control.on_path import OnPath
from fleet.control.on_time import OnTime
from fleet.control.path_following import PathFollowing
from fleet.control.pd_pursuit import PdPursuit
from fleet.control.pure_pursuit import PurePursuit
from fleet.control.tracker_config import LawName, TrackerConfig
from fleet.trajectories.trajectory import Trajectory

ChosenLaw = OnPath | OnTime | PdPursuit  # each is a `ControlLaw`; naming them one by one avoids a look-up per call


def choose_law(trajectory: Trajectory, config: TrackerConfig) -> ChosenLaw:
    """Return the configured law for a trajectory."""
    match config.law:
        case LawName.PD_PURSUIT:
            return PdPursuit(trajectory, config.pd_pursuit)
        case LawName.PURE_PURSUIT:
            return OnPath(trajectory, PurePursuit(trajectory.path, config.pure_pursuit))
        case LawName.PATH_FOLLOWING:
            return OnPath(trajectory, PathFollowing(trajectory.path, config.path_following))
        case LawName.KANAYAMA:
            return OnTime(trajectory, Kanayama(config.kanayama))
        case LawName.LQR:
            return OnTime(trajectory, Lqr(config.lqr))
        case _:
            assert_never(config.law)
