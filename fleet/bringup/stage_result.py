"""The result of one stage of the bring-up: measurements with expected ranges, the verdict and its causes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from fleet.bringup.cause import Cause

Rows = Sequence[Sequence[float]]


class BringupStage(Enum):
    """The stages, in their order: a stage relies only on earlier ones, and motion comes last."""

    PORT = "port"  # the computer: ports, permission, other programs
    WIRE = "wire"  # messages, ids, firmware, description
    SCRIPT = "script"  # our script fits, runs, and keeps running
    RADIO = "radio"  # round trips, loss, capacity
    SENSORS = "sensors"  # each one covered or touched in turn
    LIGHTS = "lights"  # lights, sound and battery
    WHEELS = "wheels"  # in the air
    CAPTURE = "capture"  # poses of motion capture
    ODOMETRY = "odometry"  # straight and turn on the floor
    TASKS = "tasks"  # the driver's core drives it


STAGE_TEXTS = {
    BringupStage.PORT: "ports, permission and other programs of this computer; the robot is not touched",
    BringupStage.WIRE: "node ids, firmware and variables; a stored program may turn the wheels: lift the robot",
    BringupStage.SCRIPT: "loads our script into the robot's memory, not its flash; nothing moves",
    BringupStage.RADIO: "round trips, losses and capacity; nothing moves",
    BringupStage.SENSORS: "ground, accelerometer, buttons, microphone, and each proximity sensor; nothing moves",
    BringupStage.LIGHTS: "lights, a tone, and the battery; nothing moves",
    BringupStage.WHEELS: "the wheels turn for a minute, in the air: hold the robot up",
    BringupStage.CAPTURE: "the robot drives 5 cm and turns half round on its place",
    BringupStage.ODOMETRY: "the robot drives forwards and back, and turns on its place",
    BringupStage.TASKS: "the driver's core drives the robot 20 cm ahead and back, and you unplug it and plug it in",
}


class StageVerdict(Enum):
    """The verdict on a stage."""

    PASSED = "passed"
    WARNING = "warning"  # usable; read the causes
    FAILED = "failed"  # later stages do not run
    SKIPPED = "skipped"  # not wanted, or nothing to measure with


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured number and its expected range."""

    name: str
    value: float
    unit: str
    least: float
    most: float

    @property
    def fits(self) -> bool:
        """Whether the number is in the range; NaN never is."""
        return self.least <= self.value <= self.most

    @property
    def text(self) -> str:
        """The number and its range, human-readable."""
        unit = f" {self.unit}" if self.unit else ""
        expected = f"{self.least:.4g} to {self.most:.4g}"
        if self.most == math.inf:
            expected = f"at least {self.least:.4g}"
        elif self.least == -math.inf:
            expected = f"at most {self.most:.4g}"
        return f"{self.name} {self.value:.4g}{unit} (expected {expected})"


@dataclass(frozen=True, slots=True)
class Symptom:
    """A cause, and what was observed."""

    cause: Cause
    text: str
    is_fatal: bool = True

    @property
    def cure(self) -> str:
        """What to do."""
        return self.cause.value


@dataclass(frozen=True, slots=True)
class StageResult:
    """The result of a stage; `attempts` counts its measurements, several if the computer was busy."""

    stage: BringupStage
    measures: tuple[Measure, ...] = ()
    symptoms: tuple[Symptom, ...] = ()
    series: Mapping[str, Rows] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_skipped: bool = False
    attempts: int = 1

    @property
    def verdict(self) -> StageVerdict:
        """The verdict according to the symptoms."""
        if any(symptom.is_fatal for symptom in self.symptoms):
            return StageVerdict.FAILED
        if self.symptoms:
            return StageVerdict.WARNING
        return StageVerdict.SKIPPED if self.is_skipped else StageVerdict.PASSED


def judged(
    checks: Iterable[tuple[Measure, Cause, bool]],
) -> tuple[list[Measure], list[Symptom]]:
    """Return the measures, and a symptom for each that does not fit: (measure, cause, whether it is fatal)."""
    measures, symptoms = [], []
    for measure, cause, is_fatal in checks:
        measures.append(measure)
        if not measure.fits:
            symptoms.append(Symptom(cause, measure.text, is_fatal))
    return measures, symptoms
