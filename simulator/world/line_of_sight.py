"""The bodies that proximity sensors may detect; the search is skipped while none can be near."""

from simulator.physics.neighbours import Neighbours, Pair
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.sensors.proximity import RANGE_M


class LineOfSight:
    """Finds the pairs of bodies within the range of proximity sensors.

    Parameters
    ----------
    bodies : bodies that may be detected
    poses : poses of the bodies
    """

    def __init__(self, bodies: PlacedBodies, poses: PoseTable) -> None:
        self._bodies = bodies
        self._poses = poses
        self._blind_until_m = 0.0  # no sensor detects anything before robots have rolled this far in total
        self._jumps = poses.jumps
        self._follow_bodies()

    def pairs(self) -> list[Pair]:
        """Return the pairs in which one body may detect the other."""
        places = self._poses.places()
        if self._table is not self._bodies.table:
            self._follow_bodies()
        if self._jumps != self._poses.jumps:
            self._jumps = self._poses.jumps
            self._blind_until_m = 0.0
        if self._poses.moved_m < self._blind_until_m:
            return []
        pairs = self._near.pairs(places)
        if not pairs:
            self._blind_until_m = self._poses.moved_m + 0.5 * (self._near.gap_m() - RANGE_M)  # both may move
        return pairs

    def _follow_bodies(self) -> None:
        """Rebuild the neighbour list for the current bodies."""
        self._table = self._bodies.table
        is_visible = [obstacle.is_visible for obstacle in self._table.obstacles]
        self._near = Neighbours(self._table, self._poses.movers, is_visible, RANGE_M)
