"""The control flow through the basic blocks of a handler: where loops start, and where branches meet again."""

from collections.abc import Iterable, Mapping, Set
from functools import reduce

from simulator.machine.block import Block, CodePlace


class Flow:
    """The graph of blocks; it contains all their successors."""

    def __init__(self, blocks: Mapping[CodePlace, Block], entry: CodePlace) -> None:
        self._blocks = blocks
        self._order: list[CodePlace] = []  # each block after all its successors, except in loops
        self.loops: set[CodePlace] = set()
        """Places where loops start."""
        self._search(entry)
        self._followers = self._find_followers()

    def meeting(self, place: CodePlace) -> CodePlace | None:
        """Return the first place after a block that lies on every path to the end, or None."""
        followers = self._followers[place]
        # where no path leads to the end, all blocks seem to follow each other
        behind = [
            other
            for bit, other in enumerate(self._order)
            if followers >> bit & 1 and self._followers[other].bit_count() < followers.bit_count()
        ]
        return max(behind, key=lambda other: self._followers[other].bit_count(), default=None)

    def reaches(self, place: CodePlace, goal: CodePlace, closed: Set[CodePlace]) -> bool:
        """Return whether a path leads from `place` to `goal` without passing a closed place."""
        visited, waiting = set(closed), [place]
        while waiting:
            here = waiting.pop()
            if here == goal:
                return True
            if here not in visited:
                visited.add(here)
                waiting += self._blocks[here].next
        return False

    def _search(self, entry: CodePlace) -> None:
        """Search the graph depth first: an edge back to a block on the path from the entry marks a loop."""
        path: dict[CodePlace, Iterable[CodePlace]] = {entry: iter(self._blocks[entry].next)}
        visited = {entry}
        while path:
            here, rest = next(reversed(path.items()))
            place = next(iter(rest), None)
            if place is None:
                self._order.append(here)
                del path[here]
            elif place in path:
                self.loops.add(place)
            elif place not in visited:
                visited.add(place)
                path[place] = iter(self._blocks[place].next)

    def _find_followers(self) -> dict[CodePlace, int]:
        """Return, for each block, the blocks on all its paths to the end, itself included, as bits of a number."""
        every = (1 << len(self._order)) - 1
        followers = dict.fromkeys(self._order, every)
        changes = True
        while changes:
            changes = False
            for bit, place in enumerate(self._order):
                after = [followers[other] for other in self._blocks[place].next]
                found = 1 << bit | (reduce(int.__and__, after) if after else 0)
                changes |= found != followers[place]
                followers[place] = found
        return followers
