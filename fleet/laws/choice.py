"""Which law is which."""

from fleet.laws.kanayama import Kanayama
from fleet.laws.law import ControlLaw
from fleet.laws.lqr import Lqr
from fleet.laws.path_following import PathFollowing
from fleet.laws.pd_pursuit import PdPursuit
from fleet.laws.pure_pursuit import PurePursuit
from fleet.paths.trajectory import Trajectory
from fleet.tracker_config import LawName, TrackerConfig


def choose_law(trajectory: Trajectory, config: TrackerConfig) -> ControlLaw:
    """Return the configured law at work on a trajectory."""
    match config.law:
        case LawName.PD_PURSUIT:
            return PdPursuit(trajectory, config.pd_pursuit)
        case LawName.PURE_PURSUIT:
            return PurePursuit(trajectory, config.pure_pursuit)
        case LawName.PATH_FOLLOWING:
            return PathFollowing(trajectory, config.path_following)
        case LawName.KANAYAMA:
            return Kanayama(trajectory, config.kanayama)
        case LawName.LQR:
            return Lqr(trajectory, config.lqr)
