"""Which robots take jobs."""

from enum import Enum


class Duty(Enum):
    """Whether a robot takes jobs; the value is what users write."""

    IN = "in"
    OUT = "out"  # none; a job that it performs goes to another robot, unless it carries something
    OUT_AFTER_JOB = "out_after_job"  # none after the one that it performs
