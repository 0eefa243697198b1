"""A watched value with a limit at which a reacher stops: a variable, or an extender's output such as TC0/force."""

import math
from dataclasses import dataclass
from typing import Final

from body.kinematics.layout import BodyLayout
from body.memory.body_board import BodyBoard, BodyState

_FRESH_NS: Final = 500_000_000


@dataclass(frozen=True, slots=True)
class Watch:
    """The name of a watched value, and its limit.

    Parameters
    ----------
    name : "joint/variable" or "NAME/output"; "" watches nothing
    limit : largest magnitude
    """

    name: str = ""
    limit: float = 0.0

    def value(self, layout: BodyLayout, board: BodyBoard, state: BodyState, now_ns: int) -> float | None:
        """Return the value; None if it is unknown, such as before the extender is created, or not finite.

        Parameters
        ----------
        layout
            the body's layout
        board
            board with the outputs of extenders
        state
            state of all variables
        now_ns
            time on the core's clock
        """
        index = layout.variable_index(self.name)
        if index is not None:
            age_ns = now_ns - int(state.stamps_ns[index])
            is_known = state.stamps_ns[index] > 0 and age_ns <= layout.variables[index].timeout_s * 1e9
            return float(state.values[index]) if is_known else None
        output = board.read_output(self.name)
        if output is None or now_ns - output.written_ns > _FRESH_NS or not math.isfinite(output.value):
            return None
        return output.value
