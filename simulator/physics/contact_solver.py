"""Pushes overlapping bodies apart after a step; steps that cannot cause an overlap are skipped."""

from typing import Final

from simulator.physics import contacts
from simulator.physics.contacts import MARGIN_M, settle
from simulator.physics.neighbours import Neighbours, Pair
from simulator.physics.placed_bodies import PlacedBodies
from simulator.physics.pose_table import PoseTable
from simulator.physics.rolling import wrapped

_PAIRS_AT_ONCE: Final = 1000  # only bodies placed inside each other have more


class ContactSolver:
    """Resolves the contacts of all bodies.

    Parameters
    ----------
    bodies : the bodies that may touch
    poses : poses of the bodies; changed when bodies are pushed
    """

    def __init__(self, bodies: PlacedBodies, poses: PoseTable) -> None:
        self._bodies = bodies
        self._poses = poses
        self._clear_until_m = 0.0  # nothing overlaps before robots have rolled this far in total
        self._jumps = poses.jumps
        self._turn = 0  # index of the pair that comes first if there are too many for a step
        self._follow_bodies()

    def settle(self, before: list[float], *, was_touching: bool) -> tuple[list[Pair], list[Pair]]:
        """Push bodies apart after a step; return the pairs that touch, and those that are close.

        `before` is the robots' places before the step. Close pairs are returned only if a pair touches or
        touched before.
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
        """Return whether no bodies can overlap; compute the distance until they can when needed."""
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
