"""Reads from the output of `make demo` how long each stage took, and when the demo and the first pose came."""

import re

_STAGE = re.compile(r"(?P<name>\S.{33}) *(?P<seconds>\d+) s")  # the columns of tools/setup.sh
_DEMO = "simulated robots; "
_FIRST_POSE = "first pose after "


class SetUpOutput:
    """The lines so far.

    Attributes
    ----------
    stages : duration in s by the text of each stage
    demo_start_s : instant at which the demo itself started; nan before
    first_pose_s : instant of the first pose; nan before
    """

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self.demo_start_s = float("nan")
        self.first_pose_s = float("nan")

    def take(self, line: str, instant_s: float) -> None:
        """Read one line that was printed at an instant."""
        stage = _STAGE.fullmatch(line.rstrip())
        if stage:
            self.stages[stage["name"].rstrip()] = float(stage["seconds"])
        elif _DEMO in line:
            self.demo_start_s = instant_s
        elif line.startswith(_FIRST_POSE):
            self.first_pose_s = instant_s
