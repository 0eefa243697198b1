"""The bring-up of a simulated robot in one thread and in counted time, with a simulated hand."""

from collections.abc import Callable, Sequence
from typing import Final

from experiments.lab.stage import STEP_NS, Stage
from fleet.bringup.bringup_run import STAGES, BringupRun, BringupState
from fleet.bringup.robot_bench import BenchOptions, Question, RobotBench
from fleet.bringup.stage_result import BringupStage, StageResult
from fleet.geometry import Pose2D
from simulator.simulation.helping_hand import HelpingHand
from simulator.world.config import WorldConfig

_TARGET: Final = "tcp:host=simulated;port=33333"
_LIMIT_S: Final = 900.0


def yes(question: Question) -> str:
    """Allow motion, and leave other questions unanswered."""
    return "yes" if question.is_permission else ""


class SimulatedBringup:
    """A robot in its world, for stages of bring-up.

    Parameters
    ----------
    world : world with the robot and its faults
    node_id : node id of the robot; None if it is alone
    has_poses : whether the world's motion capture is used
    has_hand : whether a simulated hand follows the instructions
    answer : answers questions
    """

    def __init__(
        self,
        world: WorldConfig,
        *,
        node_id: int | None = None,
        has_poses: bool = True,
        has_hand: bool = True,
        answer: Callable[[Question], str] = yes,
    ) -> None:
        self.said: list[str] = []
        self.stage = Stage(world)
        self.hand = HelpingHand(self.stage.simulation, self.said.append) if has_hand else None
        options = BenchOptions(_TARGET, node_id, has_poses=has_poses, has_hands=has_hand)
        self.bench = RobotBench(options, self.stage, self.said.append)
        self._answer = answer
        self._index = 0 if node_id is None else self.stage.simulation.node_ids.index(node_id)

    def bring_up(self, stages: Sequence[BringupStage] = tuple(STAGES)) -> list[StageResult]:
        """Run stages to their end; return their results."""
        results: list[StageResult] = []
        run = BringupRun(self.bench, stages, results.append)
        for _ in range(round(_LIMIT_S * 1e9 / STEP_NS)):
            if run.state is BringupState.DONE:
                break
            self.step(run)
        run.close()
        return results

    def step(self, run: BringupRun) -> None:
        """Advance by 10 ms."""
        for _, poses in self.stage.step():
            self.bench.record.poses.append((self.stage.now_ns, Pose2D(*poses[self._index].tolist())))
        if self.hand is not None:
            self.hand.step()
        run.tick(self.stage.now_ns)
        if run.question is not None:
            run.answer(self._answer(run.question))
