"""The speed of a simulator; needs only Python, so that it also runs where only another simulator is installed."""

import json
import sys
import time
from collections.abc import Callable

STEP_S = 0.01
NOT_INSTALLED = 3  # exit code of a program whose simulator is not installed


def realtime_factor(step: Callable[[], object], seconds: float) -> float:
    """Return the real-time factor of `step`, which simulates 10 ms."""
    started_s = time.perf_counter()
    for _ in range(round(seconds / STEP_S)):
        step()
    return seconds / (time.perf_counter() - started_s)


def cpu_cores(step: Callable[[], object], seconds: float) -> float:
    """Return the share of a core that `step` uses when called every 10 ms, or as often as possible."""
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    for number in range(round(seconds / STEP_S)):
        step()
        time.sleep(max(0.0, started_s + (number + 1) * STEP_S - time.perf_counter()))
    return (time.process_time() - started_cpu_s) / (time.perf_counter() - started_s)


def print_speed(step: Callable[[], object], seconds: float) -> None:
    """Measure and print one line of JSON."""
    measured = {"realtime_factor": realtime_factor(step, seconds), "cpu_cores": cpu_cores(step, seconds)}
    print(json.dumps(measured))


def arguments() -> tuple[int, float]:
    """Return number of robots and seconds from the command line."""
    return int(sys.argv[1]), float(sys.argv[2])


def places(robots: int) -> list[tuple[int, int]]:
    """Return the robots' places, a metre apart."""
    side = side_m(robots) - 1
    return [(number % side + 1, number // side + 1) for number in range(robots)]


def side_m(robots: int) -> int:
    """Return the side length of the arena."""
    return next(side for side in range(1, robots + 2) if side**2 >= robots) + 1
