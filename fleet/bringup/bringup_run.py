"""Runs the stages of one robot in order, tick by tick; repeats a stage that was spoiled by a busy computer.

That includes a passed stage whose motion a twin is fitted to.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from aseba_link.errors import AsebaLinkError
from fleet.bringup.capture_stage import capture_stage
from fleet.bringup.cause import Cause
from fleet.bringup.light_stage import light_stage
from fleet.bringup.odometry_stage import odometry_stage
from fleet.bringup.radio_stage import radio_stage
from fleet.bringup.robot_bench import BUSY_S, Question, RobotBench, Steps
from fleet.bringup.script_stage import script_stage
from fleet.bringup.sensor_stage import sensor_stage
from fleet.bringup.stage_result import STAGE_TEXTS, BringupStage, StageResult, StageVerdict, Symptom
from fleet.bringup.task_stage import task_stage
from fleet.bringup.wheel_stage import wheel_stage
from fleet.bringup.wire_stage import wire_stage
from fleet.errors import BringupError

MOST_ATTEMPTS: Final = 3
STAGES: Final[dict[BringupStage, Callable[[RobotBench], Steps[StageResult]]]] = {
    BringupStage.WIRE: wire_stage,
    BringupStage.SCRIPT: script_stage,
    BringupStage.RADIO: radio_stage,
    BringupStage.SENSORS: sensor_stage,
    BringupStage.LIGHTS: light_stage,
    BringupStage.WHEELS: wheel_stage,
    BringupStage.CAPTURE: capture_stage,
    BringupStage.ODOMETRY: odometry_stage,
    BringupStage.TASKS: task_stage,
}
NEEDED: Final = (BringupStage.WIRE, BringupStage.SCRIPT)  # run again after `--resume`: they find and load the robot


class BringupState(Enum):
    """State of a run."""

    RUNNING = auto()  # ticks advance it
    ASKING = auto()  # a question waits for its answer
    DONE = auto()  # all stages have ended, or one has failed


class BringupRun:
    """The bring-up of one robot.

    Parameters
    ----------
    bench : the robot
    stages : the stages to run, in order, without `PORT`, which needs the computer
    on_result : called with the result of each stage
    """

    def __init__(
        self, bench: RobotBench, stages: Sequence[BringupStage], on_result: Callable[[StageResult], None]
    ) -> None:
        self.state = BringupState.RUNNING
        self.question: Question | None = None
        self._bench = bench
        self._stages = list(stages)
        self._on_result = on_result
        self._attempt = 0
        self._steps: Steps[StageResult] | None = None
        self._stage = BringupStage.WIRE

    def tick(self, now_ns: int) -> None:
        """Advance to `now_ns`; call it about a hundred times a second."""
        self._bench.tick(now_ns)
        if self.state is BringupState.RUNNING:
            self._advance(None)

    def answer(self, text: str) -> None:
        """Answer the current question; "" counts as no."""
        if self.state is BringupState.ASKING:
            self.state, self.question = BringupState.RUNNING, None
            self._advance(text)

    def close(self) -> None:
        """Stop the wheels, and end the run, even if it is done."""
        self.state = BringupState.DONE
        self._bench.close()

    def _advance(self, answer: str | None) -> None:
        if self._steps is None and not self._start_next():
            return
        try:
            question = self._next(answer)
        except StopIteration as end:
            self._finish(end.value)
        except (BringupError, AsebaLinkError) as error:
            self._finish(StageResult(self._stage, symptoms=(Symptom(Cause.LOST, str(error)),)))
        else:
            if question is not None:
                self.question, self.state = question, BringupState.ASKING

    def _next(self, answer: str | None) -> Question | None:
        assert self._steps is not None, "a stage has been started"
        return next(self._steps) if answer is None else self._steps.send(answer)

    def _start_next(self) -> bool:
        """Start the next stage; return False if there is none."""
        if not self._stages:
            self.close()
            return False
        self._stage = self._stages[0]
        if self._attempt == 0:
            self._bench.say(f"{self._stage.value}: {STAGE_TEXTS[self._stage]}")
        self._attempt += 1
        self._bench.longest_gap_s = self._bench.longest_delay_s = 0.0
        self._steps = STAGES[self._stage](self._bench)
        return True

    def _finish(self, result: StageResult) -> None:
        """Report a stage, or repeat it if its result is doubtful because this program or the robot paused."""
        self._steps = None
        pause_s = self._bench.longest_gap_s
        if self._stage is not BringupStage.RADIO:  # this stage measures delays
            pause_s = max(pause_s, self._bench.longest_delay_s)
        is_for_twin = self._stage is BringupStage.ODOMETRY and self._bench.options.has_poses
        is_doubtful = result.verdict in (StageVerdict.FAILED, StageVerdict.WARNING) or is_for_twin
        if is_doubtful and pause_s > BUSY_S:
            text = f"the computer was busy, or the robot silent, for {pause_s:.1f} s"
            if self._attempt < MOST_ATTEMPTS:
                self._bench.halt()
                self._bench.say(f"{self._stage.value}: {text}, so this is measured again")
                return
            result = replace(result, notes=(*result.notes, text))
        result = replace(result, attempts=self._attempt)
        self._attempt = 0
        self._stages.pop(0)
        self._on_result(result)
        if result.verdict is StageVerdict.FAILED:
            self.close()
