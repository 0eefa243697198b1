"""One run of an experiment, from start to end."""

from collections.abc import Callable
from dataclasses import dataclass

from experiments.lab.lab import Lab, uncollected
from experiments.lab.stage import STEP_NS
from experiments.scenarios.file.experiment import Experiment
from experiments.scenarios.file.variation import varied
from experiments.scenarios.run.assignments import TaskAssignment, TaskAssignments
from experiments.scenarios.run.faults import Faults
from experiments.scenarios.run.recorder import Recorder, Recording
from simulator.world.config import WorldConfig

_REST_S = 1.0  # time that a run continues after its last event
_STEP_S = STEP_NS * 1e-9
_STEPS_PER_REPORT = 100


@dataclass(frozen=True, slots=True)
class Run:
    """A completed run; `number` counts repetitions from 1, `world` is the varied world."""

    number: int
    duration_s: float
    world: WorldConfig
    assignments: list[TaskAssignment]
    recording: Recording


def _ignore(_: float) -> None:
    """Do nothing."""


def perform(experiment: Experiment, seed: int, number: int, on_progress: Callable[[float], object] = _ignore) -> Run:
    """Run an experiment once; its time starts when every robot is connected and located.

    `on_progress` is called once per simulated second with the passed share of the longest duration.

    Raises
    ------
    NotStartedError
        Some robots could not be reached or located.
    """
    world = varied(experiment.world, experiment.spread, seed, number)
    lab = Lab(experiment.fleet, world)
    lab.start()
    assignments, faults = TaskAssignments(lab, experiment.tasks), Faults(lab, experiment.faults)
    recorder = Recorder(lab, experiment.record_hz)
    with uncollected():
        steps = rested = 0
        while steps * _STEP_S < experiment.duration_s - 1e-9 and rested * _STEP_S < _REST_S:
            time_s = round(steps * _STEP_S, 9)
            faults.advance(time_s)
            assignments.advance(time_s)
            recorder.record(time_s)
            lab.step()
            steps += 1
            if steps % _STEPS_PER_REPORT == 0:
                on_progress(time_s / experiment.duration_s)
            rested = rested + 1 if faults.are_over and assignments.are_over else 0
        duration_s = round(steps * _STEP_S, 9)
        assignments.advance(duration_s)
        recorder.record(duration_s)
    return Run(number, duration_s, world, assignments.all, recorder.recording())
