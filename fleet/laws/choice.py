"""Which law is which."""

from fleet.laws.kanayama import Kanayama
from fleet.laws.lqr import Lqr
from fleet.laws.on_path import OnPath
from fleet.laws.on_time import OnTime
from fleet.laws.path_following import PathFollowing
from fleet.laws.pd_pursuit import PdPursuit
from fleet.laws.pure_pursuit import PurePursuit
from fleet.paths.trajectory import Trajectory
from fleet.tracker_config import LawName, TrackerConfig

ChosenLaw = OnPath | OnTime | PdPursuit  # each is a `ControlLaw`; named one by one, they are called without a look-up


def choose_law(trajectory: Trajectory, config: TrackerConfig) -> ChosenLaw:
    """Return the configured law at work on a trajectory."""
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
