"""Actions on simulated time: pause, play, step, speed, reset."""

import argparse
import math

from simulation_interfaces.msg import Result, SimulationState
from simulation_interfaces.srv import ResetSimulation, SetSimulationState, StepSimulation
from thymio_simulator_interfaces.srv import SetSpeedFactor

from fleet.commands.world.action import WorldAction, add_nothing
from fleet.commands.world.quantities import factor
from fleet.commands.world.simulator_client import SimulatorClient, SimulatorRefusedError
from thymio_base.argument_types import count
from thymio_base.number_text import count_text

_STEP_MS = 10  # of simulated time
_SCOPES = {
    "time": ResetSimulation.Request.SCOPE_TIME,
    "state": ResetSimulation.Request.SCOPE_STATE,
    "spawned": ResetSimulation.Request.SCOPE_SPAWNED,
}
_RESET_TEXTS = {
    "time": "simulated time starts again at 0",
    "state": "robots, objects, batteries and noise are as at the start",
    "spawned": "spawned robots and objects are removed",
}


def _add_step_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("steps", type=count, nargs="?", default=1, metavar="N", help="steps of 10 ms; default: 1")


def _add_speed_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "factor", type=factor, metavar="FACTOR", help="simulated seconds per second, at most 1000; or max"
    )


def _add_reset_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only",
        choices=list(_SCOPES),
        help="time: back to 0; state: robots, objects, batteries and noise as at the start, scripts keep running; "
        "spawned: remove what was spawned; default: everything, like a restart of the program",
    )


def _pause(client: SimulatorClient, _: argparse.Namespace) -> str:
    return _set_state(client, SimulationState.STATE_PAUSED, "the simulation is paused")


def _play(client: SimulatorClient, _: argparse.Namespace) -> str:
    return _set_state(client, SimulationState.STATE_PLAYING, "the simulation is playing")


def _set_state(client: SimulatorClient, state: int, text: str) -> str:
    try:
        client.call(SetSimulationState, "set_simulation_state", {"state": SimulationState(state=state)})
    except SimulatorRefusedError as error:
        if error.result != SetSimulationState.Response.ALREADY_IN_TARGET_STATE:
            raise
        return str(error)
    return text


def _step(client: SimulatorClient, options: argparse.Namespace) -> str:
    try:
        client.call(StepSimulation, "step_simulation", {"steps": options.steps}, repeats=False)
    except SimulatorRefusedError as error:
        if error.result != Result.RESULT_INCORRECT_STATE:
            raise
        raise SimulatorRefusedError(f"{error}; `thymio-fleet world pause` pauses it", error.result) from error
    steps = count_text(options.steps, "step")
    return f"{steps} of {_STEP_MS} ms: {1e-3 * _STEP_MS * options.steps:.2f} s of simulated time"


def _set_speed(client: SimulatorClient, options: argparse.Namespace) -> str:
    client.call(SetSpeedFactor, "set_speed_factor", {"factor": options.factor})
    if math.isinf(options.factor):
        return "simulated time passes as fast as the machine can"
    return f"simulated time passes at {options.factor:g} times real time"


def _reset(client: SimulatorClient, options: argparse.Namespace) -> str:
    scope = _SCOPES[options.only] if options.only else ResetSimulation.Request.SCOPE_ALL
    client.call(ResetSimulation, "reset_simulation", {"scope": scope})
    if options.only:
        return f"reset: {_RESET_TEXTS[options.only]}"
    return "reset everything, as if the simulator had been restarted: the driver loads its scripts again"


TIME_ACTIONS = (
    WorldAction("pause", "pause simulated time; hosts are still answered", "", add_nothing, _pause),
    WorldAction("play", "let simulated time pass again", "", add_nothing, _play),
    WorldAction("step", "simulate a number of steps while paused", "100", _add_step_options, _step),
    WorldAction("speed", "let simulated time pass faster or slower", "4", _add_speed_options, _set_speed),
    WorldAction("reset", "reset the simulation, or parts of it", "--only state", _add_reset_options, _reset),
)
