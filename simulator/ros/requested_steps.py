"""Requested steps, performed a few at a time, so that other requests, hosts and signals are served in between."""

from collections.abc import Callable
from typing import Any, Final

from rclpy.task import Future
from simulation_interfaces.msg import Result
from simulation_interfaces.srv import StepSimulation

from simulator.simulation.refusal import Refusal, RefusedError
from simulator.simulation.simulation_control import Control

_AT_ONCE: Final = 10  # steps, 0.1 s of simulated time


class RequestedSteps:
    """Steps a paused simulation as often as a request asks for.

    Parameters
    ----------
    control : controls the simulation
    after_step : called after each step
    """

    def __init__(self, control: Control, after_step: Callable[[], None]) -> None:
        self._control = control
        self._after_step = after_step
        self._left = 0
        self._total = 0
        self._state = control.state  # at the request
        self._answer: Future | None = None

    @property
    def are_open(self) -> bool:
        """Whether steps remain to be performed."""
        return self._answer is not None

    def request(self, request: StepSimulation.Request, _: StepSimulation.Response) -> Any:
        """Return a future of the response, or a response that refuses."""
        try:
            if self.are_open:
                raise RefusedError(Refusal.WRONG_STATE, f"{self._left} steps of another request are still pending")
            self._control.check_steps(request.steps)
        except RefusedError as error:
            is_state = error.refusal is Refusal.WRONG_STATE
            return _response(Result.RESULT_INCORRECT_STATE if is_state else Result.RESULT_OPERATION_FAILED, str(error))
        self._left = self._total = request.steps
        self._state = self._control.state
        self._answer = Future()
        return self._answer

    def perform(self) -> None:
        """Perform the next few steps; answer after the last, or when the simulation is played, stopped or reset."""
        if self._control.state is not self._state:
            made = f"{self._total - self._left} of {self._total} steps"
            text = f"the simulation became {self._control.state.value} after {made}"
            self._end(_response(Result.RESULT_OPERATION_FAILED, text))
        for _ in range(min(_AT_ONCE, self._left)):
            self._control.advance()
            self._after_step()
            self._left -= 1
        if self._left == 0:
            self._end(_response(Result.RESULT_OK))

    def _end(self, response: StepSimulation.Response) -> None:
        answer, self._answer = self._answer, None
        self._left = 0
        if answer is not None:
            answer.set_result(response)


def _response(code: int, text: str = "") -> StepSimulation.Response:
    return StepSimulation.Response(result=Result(result=code, error_message=text))
