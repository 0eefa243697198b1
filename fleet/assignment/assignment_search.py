"""Finds lists of jobs for robots, a bounded number of steps at a time.

Where every robot can have a job of its own, the search starts from the cheapest such assignment; otherwise from the
lists followed so far, if there are any, and further jobs are inserted one after the other, first the job that
would lose most with its second-best robot (regret). Then single jobs move, pairs of jobs change places, and pairs of
robots exchange the ends of their lists, until nothing is gained. Many lists are nearly as good as the best:
followed lists change only for a gain of some seconds, so that times announced to users hold. Results depend on the
problem and on the lists before.
"""

import itertools
import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from fleet.assignment.assignment_problem import NEVER_S, AssignmentProblem
from fleet.assignment.exact_assignment import CheapestColumns
from thymio_base.parts import Parts

_State: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], float]

_ROUNDING: Final = 1e-6
_REGRET_LOOKS: Final = 4  # evaluating a job takes as long as looking up this many known costs
_LEAST_GAIN: Final = 5.0  # followed lists change only if the cost falls by this much


class AssignmentSearch:
    """The search for one problem.

    Parameters
    ----------
    followed : for each robot, its present jobs in order, by index; empty without any

    Attributes
    ----------
    lists : for each robot, its jobs in order, by index; complete once `is_over`
    unassigned : jobs that no robot may or can perform
    is_over : whether the search has ended
    """

    def __init__(self, problem: AssignmentProblem, followed: Sequence[Sequence[int]] = ()) -> None:
        self.lists: Final[list[list[int]]] = [[] for _ in problem.robots]
        self.unassigned: Final[list[int]] = []
        self.is_over = False
        self._problem: Final = problem
        self._followed: Final = followed
        self._least_gain: Final = _LEAST_GAIN if followed else _ROUNDING
        self._costs: Final = [0.0] * len(problem.robots)
        self._ends_s: Final = [0.0] * len(problem.robots)
        self._vain: Final[dict[tuple[str, tuple[int, int]], _State]] = {}  # exchanges that gained nothing
        self._steps: Final = self._run()

    def expand(self, count: int) -> None:
        """Continue until about `count` more jobs were evaluated in lists, or the search is over."""
        until = self._problem.work + count
        while not self.is_over and self._problem.work < until:
            if next(self._steps, None) is None:
                self.is_over = True

    def insert(self, jobs: Iterable[int]) -> Parts[None]:
        """Keep the followed lists instead of searching, and insert further jobs, each where it costs least."""
        self.is_over = True
        self._take_over(())
        for job in jobs:
            added: list[tuple[float, int]] = []
            for robot in range(len(self.lists)):
                added.append(self._best_position(robot, job))
                yield
            self._give(job, added)

    def _run(self) -> Iterator[bool]:
        problem = self._problem
        possible: list[int] = []
        for job in range(len(problem.jobs)):
            is_possible = any(job in allowed for allowed in problem.allowed)
            (possible if is_possible else self.unassigned).append(job)
        if possible and len(possible) <= len(problem.robots):
            possible = yield from self._give_one_each(possible)
        else:
            possible = self._take_over(possible)
        yield True
        yield from self._insert(possible)
        is_better = True
        while is_better:
            is_better = False
            for sweep in (self._relocate_all, self._exchange_all, self._exchange_tails):
                for gained in sweep():
                    is_better = is_better or gained
                    yield True

    def _take_over(self, jobs: Iterable[int]) -> list[int]:
        """Start from the followed lists, without jobs that robots may no longer perform; return the unlisted jobs."""
        for robot, followed in enumerate(self._followed):
            self._set(robot, [job for job in followed if job in self._problem.allowed[robot]])
            if not math.isfinite(self._ends_s[robot]):  # walls leave no way to one of the jobs
                self._set(robot, [])
        listed = {job for known in self.lists for job in known}
        return [job for job in jobs if job not in listed]

    def _give_one_each(self, jobs: list[int]) -> Generator[bool, None, list[int]]:
        """Give every robot at most one job, at the least cost; return the remaining jobs."""
        problem = self._problem
        costs: list[list[float]] = []
        for job in jobs:
            costs.append([])
            for robot, allowed in enumerate(problem.allowed):
                cost = problem.evaluate(robot, [job])[0] if job in allowed else NEVER_S
                costs[-1].append(min(cost, NEVER_S))
                yield True
        left: list[int] = []
        choice = CheapestColumns(costs)
        for row in range(len(costs)):
            problem.note_looks(choice.add(row))
            yield True
        for row, (job, robot) in enumerate(zip(jobs, choice.columns, strict=True)):
            if costs[row][robot] < NEVER_S:
                self._set(robot, [job])
            else:
                left.append(job)
        return left

    def _insert(self, jobs: list[int]) -> Iterator[bool]:
        """Insert jobs, first those with the largest regret."""
        best: dict[int, list[tuple[float, int]]] = {}  # for each job and robot: the added cost, and the position
        for job in jobs:
            best[job] = []
            for robot in range(len(self.lists)):
                best[job].append(self._best_position(robot, job))
                yield True
        while best:
            self._problem.note_looks(len(best) * len(self.lists) // _REGRET_LOOKS)
            chosen = max(best, key=lambda job: (_regret(best[job]), -job))
            added = best.pop(chosen)
            robot = self._give(chosen, added)
            for job, costs in best.items():
                if robot >= 0:
                    costs[robot] = self._best_position(robot, job)
                yield True

    def _give(self, job: int, added: Sequence[tuple[float, int]]) -> int:
        """Insert a job where it adds least, if any robot can ever end it; return the robot, -1 for none."""
        robot = min(range(len(added)), key=lambda one: added[one][0], default=-1)
        if robot < 0 or added[robot][0] >= NEVER_S:
            self.unassigned.append(job)
            return -1
        position = added[robot][1]
        self._set(robot, [*self.lists[robot][:position], job, *self.lists[robot][position:]])
        return robot

    def _best_position(self, robot: int, job: int) -> tuple[float, int]:
        """Return the least cost that a job adds to a robot's list, and its position there."""
        if job not in self._problem.allowed[robot]:
            return NEVER_S, 0
        now = self.lists[robot]
        best_cost, best_position = NEVER_S, 0
        for position in range(len(now) + 1):
            added = self._total_with(robot, [*now[:position], job, *now[position:]]) - self._total()
            if added < best_cost - _ROUNDING:
                best_cost, best_position = added, position
        return best_cost, best_position

    def _relocate_all(self) -> Iterator[bool]:
        """Move each job to where it costs least; yield whether something was gained."""
        for robot in range(len(self.lists)):
            for job in list(self.lists[robot]):
                if job in self.lists[robot]:
                    yield self._relocate(robot, job)

    def _relocate(self, robot: int, job: int) -> bool:
        before, kept = self._total(), self.lists[robot]
        self._set(robot, [other for other in kept if other != job])
        without = self._total()
        best_total, best_robot, best_position = before - self._least_gain, -1, 0
        for other in range(len(self.lists)):
            added, position = self._best_position(other, job)
            if without + added < best_total:
                best_total, best_robot, best_position = without + added, other, position
        if best_robot < 0:
            self._set(robot, kept)
            return False
        target = self.lists[best_robot]
        self._set(best_robot, [*target[:best_position], job, *target[best_position:]])
        return True

    def _exchange_all(self) -> Iterator[bool]:
        """Swap each pair of jobs of two robots where that gains; yield whether something was gained."""
        for one, other in self._changed_pairs("jobs"):
            for place in range(len(self.lists[one])):
                for other_place in range(len(self.lists[other])):
                    if place < len(self.lists[one]) and other_place < len(self.lists[other]):
                        yield self._exchange(one, place, other, other_place)

    def _changed_pairs(self, kind: str) -> Iterator[tuple[int, int]]:
        """Yield pairs of robots, except where this kind of exchange gained nothing with the same lists."""
        for pair in itertools.combinations(range(len(self.lists)), 2):
            state = self._state(pair)
            if self._vain.get((kind, pair)) != state:
                yield pair
                if self._state(pair) == state:
                    self._vain[(kind, pair)] = state

    def _state(self, pair: tuple[int, int]) -> _State:
        """Return everything that the gain of an exchange between two robots depends on."""
        latest_s = max(self._ends_s) if self._problem.makespan_weight else 0.0
        return tuple(self.lists[pair[0]]), tuple(self.lists[pair[1]]), latest_s

    def _exchange(self, one: int, place: int, other: int, other_place: int) -> bool:
        first, second = self.lists[one], self.lists[other]
        job, other_job = first[place], second[other_place]
        if other_job not in self._problem.allowed[one] or job not in self._problem.allowed[other]:
            return False
        changed = [*first[:place], other_job, *first[place + 1 :]]
        return self._gains(one, changed, other, [*second[:other_place], job, *second[other_place + 1 :]])

    def _exchange_tails(self) -> Iterator[bool]:
        """Let each pair of robots exchange the ends of their lists where that gains; yield whether it did."""
        for one, other in self._changed_pairs("tails"):
            for kept in range(len(self.lists[one]) + 1):
                for other_kept in range(len(self.lists[other]) + 1):
                    if kept <= len(self.lists[one]) and other_kept <= len(self.lists[other]):
                        yield self._exchange_tail(one, kept, other, other_kept)

    def _exchange_tail(self, one: int, kept: int, other: int, other_kept: int) -> bool:
        first, second = self.lists[one], self.lists[other]
        tail, other_tail = first[kept:], second[other_kept:]
        allowed = self._problem.allowed
        if not (allowed[one].issuperset(other_tail) and allowed[other].issuperset(tail)):
            return False
        return self._gains(one, first[:kept] + other_tail, other, second[:other_kept] + tail)

    def _gains(self, one: int, jobs: list[int], other: int, other_jobs: list[int]) -> bool:
        """Give two robots other lists if that gains; return whether it does."""
        first, second, before = self.lists[one], self.lists[other], self._total()
        self._set(one, jobs)
        self._set(other, other_jobs)
        if self._total() < before - self._least_gain:
            return True
        self._set(one, first)
        self._set(other, second)
        return False

    def _set(self, robot: int, jobs: list[int]) -> None:
        self.lists[robot] = jobs
        self._costs[robot], self._ends_s[robot] = self._problem.evaluate(robot, jobs)

    def _total(self) -> float:
        return sum(self._costs) + self._problem.makespan_weight * max(self._ends_s)

    def _total_with(self, robot: int, jobs: list[int]) -> float:
        """Return the cost of all lists if a robot had another list."""
        cost, end_s = self._problem.evaluate(robot, jobs)
        total = sum(self._costs) - self._costs[robot] + cost
        if self._problem.makespan_weight == 0.0:
            return total
        latest_s = max([end_s, *(self._ends_s[other] for other in range(len(self._ends_s)) if other != robot)])
        return total + self._problem.makespan_weight * latest_s


def _regret(costs: list[tuple[float, int]]) -> float:
    """Return how much more the second-best robot costs than the best; about `NEVER_S` if only one is possible."""
    lowest = sorted(cost for cost, _ in costs)
    return lowest[1] - lowest[0] if len(lowest) > 1 else 0.0
