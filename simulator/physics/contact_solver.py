"""Pushes apart bodies that overlap after a step; steps without possible overlaps are skipped."""

from typing import Final

from simulator.physics import contacts
from simulator.physics.contacts import MARGIN_M, settle
from simulator.physics.neighbours import Neighbours, Pair
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.physics.rolling import wrapped

_PAIRS_AT_ONCE: Final = 1000  # only bodies that were put into each other make more


class ContactSolver:
    """Resolves the contacts of all bodies.

    Parameters
    ----------
    bodies : the bodies that may touch
    poses : their poses; changed where bodies are pushed
    """

    def __init__(self, bodies: PlacedBodies, poses: PoseTable) -> None:
        self._bodies = bodies
        self._poses = poses
        self._clear_until_m = 0.0  # nothing overlaps before robots have rolled this far in all
        self._jumps = poses.jumps
        self._turn = 0  # which pairs come first, where there are too many for one step
        self._follow_bodies()

    def settle(self, before: list[float], *, was_touching: bool) -> tuple[list[Pair], list[Pair]]:
        """Push apart bodies after a step; return the pairs that touch and those that are close.

        `before` are the robots' places before it. Close pairs are returned only if any pair touches or touched before.
        """
        if self._table is not self._bodies.table:
            self._follow_bodies()
        if self._jumps != self._poses.jumps:
            self._jumps = self._poses.jumps
            self._clear_until_m = 0.0
        if not was_touching and self._is_clear():
            return [], []
        places = self._poses.places()
        pairs = self._near.pairs(places)
        if not pairs:
            return [], []
        if len(pairs) > _PAIRS_AT_ONCE:
            self._turn = (self._turn + _PAIRS_AT_ONCE) % len(pairs)
            pairs = [*pairs[self._turn :], *pairs[: self._turn]][:_PAIRS_AT_ONCE]
        settled, touching, close = settle(self._table, before + places[len(before) :], places, pairs)
        for body in range(self._poses.movers):
            settled[3 * body + 2] = wrapped(settled[3 * body + 2])
        self._poses.replace(settled)
        return touching, close

    def _is_clear(self) -> bool:
        """Return whether no bodies can overlap; the distance until they can is computed when needed."""
        moved_m = self._poses.moved_m
        if moved_m >= self._clear_until_m:
            places = self._poses.places()
            pairs = self._near.pairs(places)
            gap_m = self._near.gap_m()
            if pairs:
                gap_m = min(gap_m, contacts.gap_m(self._table, places, pairs))
            self._clear_until_m = moved_m + 0.5 * gap_m  # both may move
        return moved_m < self._clear_until_m

    def _follow_bodies(self) -> None:
        """Rebuild the neighbour list for the current bodies."""
        self._table = self._bodies.table
        self._near = Neighbours(self._table, self._poses.movers, self._table.is_solid, MARGIN_M)
